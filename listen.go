package main

import (
	"net"
	"sync"
)

// boundedListener has at most so many connections open at a time; others wait in the
// system's own line. Unlike netutil's its connections can be half closed: a server that
// refuses a request half-way needs that, or the client sees a broken connection instead of
// the answer.
type boundedListener struct {
	*net.TCPListener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func bounded(l net.Listener, most int) net.Listener {
	tcp, ok := l.(*net.TCPListener)
	if !ok {
		return l
	}
	return &boundedListener{TCPListener: tcp, places: make(chan struct{}, most), closed: make(chan struct{})}
}

// Accept waits for a place, then for a connection.
func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.AcceptTCP()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &boundedConn{TCPConn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// Close wakes who waits for a place.
func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.TCPListener.Close()
}

type boundedConn struct {
	*net.TCPConn
	leave func()
}

// Close gives the place back.
func (c *boundedConn) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}
