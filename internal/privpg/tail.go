package privpg

import "sync"

// tailBuffer keeps the last lines of the server's log for an error message.
type tailBuffer struct {
	mu sync.Mutex
	b  []byte
}

const tailBytes = 8192

func (t *tailBuffer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if over := len(t.b) - tailBytes; over > 0 {
		t.b = t.b[over:]
	}
	return len(p), nil
}

func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}
