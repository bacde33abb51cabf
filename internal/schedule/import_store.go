package schedule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"holdfast/db"
	"holdfast/internal/domain"
)

// ImportFile is a file that staff sent.
type ImportFile = db.ImportFile

// partBytes is the size of the pieces a file is stored in.
const partBytes = 1 << 20

// StoreImport keeps a file of a kind (gtfs, films, screenings, fares) until its import.
// It is read piece by piece and never held whole.
func (s *Service) StoreImport(ctx context.Context, by domain.By, kind, name string, r io.Reader) (int64, error) {
	if err := s.db.DropOldImports(ctx); err != nil {
		return 0, err
	}
	id, err := s.db.BeginImport(ctx, kind, fileName(name), by.Actor)
	if err != nil {
		return 0, err
	}
	size, err := s.storeParts(ctx, id, r)
	if err == nil && size == 0 {
		err = &domain.RuleError{Code: "file", Words: "Please choose a file: none came, or it is empty."}
	}
	if err != nil {
		// The context may be what ended.
		return 0, errors.Join(err, s.db.DropImport(context.WithoutCancel(ctx), id))
	}
	return id, s.db.FinishImportFile(ctx, id, size)
}

func (s *Service) storeParts(ctx context.Context, id int64, r io.Reader) (size int64, err error) {
	buf := make([]byte, partBytes)
	for part := 0; ; part++ {
		n, err := io.ReadFull(r, buf)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return 0, err
		}
		size += int64(n)
		if n > 0 {
			if err := s.db.AddImportPart(ctx, id, part, buf[:n]); err != nil {
				return 0, err
			}
		}
		if err != nil {
			return size, nil
		}
	}
}

// fileName is a browser's name for a file, fit to be shown and stored.
func fileName(name string) string {
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError {
			return -1
		}
		return r
	}, name)
	if r := []rune(name); len(r) > 120 {
		name = string(r[:120])
	}
	if name == "" {
		return "file"
	}
	return name
}

// importFile finds a file of a kind whose content is still there. One that is gone is
// told in words.
func (s *Service) importFile(ctx context.Context, id int64, kind string) (ImportFile, error) {
	f, err := s.db.ImportFile(ctx, id)
	if err != nil {
		return f, err
	}
	if f.Kind != kind {
		return f, fmt.Errorf("import %d is %s: %w", id, f.Kind, domain.ErrNotFound)
	}
	if !f.Kept {
		return f, &domain.RuleError{Code: ImportGone, Words: "Files are kept for a day. This one is gone; please send it again."}
	}
	return f, nil
}

// partsReader reads a stored file. It keeps one piece and is not for several goroutines.
type partsReader struct {
	ctx  context.Context
	db   *db.DB
	file ImportFile
	part int // in body; body nil: none
	body []byte
	err  error // the first failure of ours
}

// ReadAt reads over the borders of the pieces.
func (p *partsReader) ReadAt(b []byte, at int64) (int, error) {
	n, err := p.readAt(b, at)
	if err != nil && err != io.EOF && p.err == nil {
		p.err = err
	}
	return n, err
}

func (p *partsReader) readAt(b []byte, at int64) (int, error) {
	done := 0
	for done < len(b) {
		if at < 0 || at >= p.file.Bytes {
			return done, io.EOF
		}
		if part := int(at / partBytes); p.body == nil || part != p.part {
			body, err := p.db.ImportPart(p.ctx, p.file.ID, part)
			if errors.Is(err, domain.ErrNotFound) {
				return done, &domain.RuleError{Code: ImportGone, Words: "Files are kept for a day. This one is gone; please send it again."}
			}
			if err != nil {
				return done, err
			}
			p.part, p.body = part, body
		}
		start := int(at % partBytes)
		if start >= len(p.body) {
			return done, io.ErrUnexpectedEOF
		}
		n := copy(b[done:], p.body[start:])
		done, at = done+n, at+int64(n)
	}
	return done, nil
}
