package handlers

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
)

// parsePicture reads a form part by part: its fields and the file called poster, nil
// when none was chosen. Of a form that is too large it answers the fields that came
// before the file, with *http.MaxBytesError.
func parsePicture(r *http.Request) (url.Values, []byte, error) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		err := parseForm(r)
		return r.PostForm, nil, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errBadRequest, err)
	}
	fields, room := url.Values{}, int64(formBytes)
	var file []byte
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return fields, file, nil
		}
		if err != nil {
			return fields, nil, partError(err)
		}
		most := room
		if part.FormName() == "poster" {
			most = pictureBytes
		}
		body, err := io.ReadAll(io.LimitReader(part, most+1))
		switch {
		case err != nil:
			return fields, nil, partError(err)
		case int64(len(body)) > most:
			return nil, nil, fmt.Errorf("%w: the fields are too long", errBadRequest)
		case part.FormName() != "poster":
			if !isText(string(body)) {
				return nil, nil, fmt.Errorf("%w: a field that is no text", errBadRequest)
			}
			fields.Add(part.FormName(), string(body))
			room -= int64(len(body))
		case part.FileName() != "": // a field without a choice has no name
			file = body
		}
	}
}

func partError(err error) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return err
	}
	return fmt.Errorf("%w: %w", errBadRequest, err)
}
