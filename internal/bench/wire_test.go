package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// wire is one keep-alive connection of the load generator: it writes a request that was
// made before and reads of the answer what it must, so that the generator takes little
// of the processors that it shares with what it measures. net/http's client costs four
// times as much for each request.
type wire struct {
	c net.Conn
	r *bufio.Reader
}

func dial(addr string) (*wire, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &wire{c, bufio.NewReaderSize(c, 64<<10)}, nil
}

func (w *wire) Close() error { return w.c.Close() }

// do sends a request and reads its answer to the end.
func (w *wire) do(request []byte) (status int, err error) {
	if _, err := w.c.Write(request); err != nil {
		return 0, err
	}
	line, err := w.r.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 {
		return 0, fmt.Errorf("answered %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length, chunked := 0, false
	for {
		if line, err = w.r.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if v, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(v))); err != nil {
				return 0, err
			}
		}
		chunked = chunked || bytes.HasPrefix(line, []byte("Transfer-Encoding: chunked"))
		if bytes.HasPrefix(line, []byte("Connection: close")) {
			return 0, errors.New("the server closes the connection")
		}
	}
	if chunked {
		return status, w.chunks()
	}
	_, err = w.r.Discard(length)
	return status, err
}

func (w *wire) chunks() error {
	for {
		line, err := w.r.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if _, err := w.r.Discard(int(n) + 2); err != nil || n == 0 {
			return err
		}
	}
}

// The headers a browser would send too.
const browserHeaders = "Host: bench.example\r\nUser-Agent: Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36\r\n" +
	"Accept: text/html,application/xhtml+xml\r\nAccept-Language: en\r\nAccept-Encoding: gzip, deflate, br\r\nSec-Fetch-Site: same-origin\r\n"

func getRequest(path string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\n" + browserHeaders + "\r\n")
}

// claimRequest asks for one seat, as a visitor whom the shop has never seen.
func claimRequest(prefix string, event int64, seat string) []byte {
	body := "seat=" + seat
	return fmt.Appendf(nil, "POST %s/events/%d/holds HTTP/1.1\r\n%sContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s",
		prefix, event, browserHeaders, len(body), body)
}
