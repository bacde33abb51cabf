package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
)

// resp is one connection to Redis. It speaks as much of its protocol as the comparison
// needs: a client library would be a dependency, and slower.
type resp struct {
	c   net.Conn
	r   *bufio.Reader
	out []byte
	sha string // of the script, once it is loaded
}

func dialResp(addr string) (*resp, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	x := &resp{c: c, r: bufio.NewReader(c)}
	x.sha, err = x.text("SCRIPT", "LOAD", holdScript)
	if err != nil && !strings.Contains(err.Error(), "LOADING") && !strings.Contains(err.Error(), "READONLY") {
		_ = c.Close()
		return nil, err
	}
	return x, nil
}

func (x *resp) Close() error { return x.c.Close() }

// do sends a command and reads its answer: nil, an int64, a string, or a list.
func (x *resp) do(args ...string) (any, error) {
	x.out = fmt.Appendf(x.out[:0], "*%d\r\n", len(args))
	for _, a := range args {
		x.out = append(strconv.AppendInt(append(x.out, '$'), int64(len(a)), 10), "\r\n"...)
		x.out = append(append(x.out, a...), "\r\n"...)
	}
	if _, err := x.c.Write(x.out); err != nil {
		return nil, err
	}
	return x.read()
}

func (x *resp) read() (any, error) {
	line, err := x.r.ReadString('\n')
	if err != nil || len(line) < 3 {
		return nil, errors.Join(err, errors.New("no answer of Redis"))
	}
	kind, rest := line[0], line[1:len(line)-2]
	switch kind {
	case '+':
		return rest, nil
	case '-':
		return nil, errors.New("redis: " + rest)
	}
	n, err := strconv.ParseInt(rest, 10, 64)
	if err != nil || kind == ':' {
		return n, err
	}
	if n < 0 {
		return nil, nil
	}
	if kind == '*' {
		list := make([]any, n)
		for i := range list {
			if list[i], err = x.read(); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	b := make([]byte, n+2)
	_, err = io.ReadFull(x.r, b)
	return string(b[:n]), err
}

// text is do for a string; "" for nil.
func (x *resp) text(args ...string) (string, error) {
	v, err := x.do(args...)
	if v == nil || err != nil {
		return "", err
	}
	return fmt.Sprint(v), nil
}

// holdScript takes all the seats for ten minutes or none: the usual way to hold several
// keys at once.
const holdScript = `for i = 1, #KEYS do if redis.call('exists', KEYS[i]) == 1 then return 0 end end
for i = 1, #KEYS do redis.call('set', KEYS[i], ARGV[1], 'NX', 'PX', ARGV[2]) end
return 1`

// releaseScript lets go of a seat that is still the holder's: compare and delete.
const releaseScript = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`

const holdMillis = "600000"

func seatKey(event int64, seat string) string { return fmt.Sprintf("hold:%d:%s", event, seat) }

// hold takes a seat for a holder and says whether it was free.
func (x *resp) hold(event int64, seat, holder string) (bool, error) {
	v, err := x.do("EVALSHA", x.sha, "1", seatKey(event, seat), holder, holdMillis)
	return v == int64(1), err
}

// release lets go of it and says whether it was the holder's.
func (x *resp) release(event int64, seat, holder string) (bool, error) {
	v, err := x.do("EVAL", releaseScript, "1", seatKey(event, seat), holder)
	return v == int64(1), err
}

// respPool shares some connections.
type respPool chan *resp

func newRespPool(addr string, n int) (respPool, error) {
	p := make(respPool, n)
	for range n {
		c, err := dialResp(addr)
		if err != nil {
			return nil, err
		}
		p <- c
	}
	return p, nil
}

func (p respPool) get() *resp  { return <-p }
func (p respPool) put(c *resp) { p <- c }
