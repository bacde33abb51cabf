package schedule

import "context"

// ImportGone is the code of the refusal when a file's content is not kept any more.
const ImportGone = "gone"

// ImportFile finds a file that staff sent; domain.ErrNotFound.
func (s *Service) ImportFile(ctx context.Context, id int64) (ImportFile, error) {
	return s.db.ImportFile(ctx, id)
}

// FeedResult is what the last import of a feed did; domain.ErrNotFound when there was none.
func (s *Service) FeedResult(ctx context.Context, id int64) (r FeedResult, err error) {
	err = s.db.ImportResult(ctx, id, &r)
	return r, err
}

// TableResult is what the last import of a table did; domain.ErrNotFound when there was
// none.
func (s *Service) TableResult(ctx context.Context, id int64) (c TableChanges, err error) {
	err = s.db.ImportResult(ctx, id, &c)
	return c, err
}
