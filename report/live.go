package report

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sweep/runner"
)

// A Server shows a running sweep to browsers on the same machine: the page at
// URL, and its progress at URL + "state". Browsers can only read. The URL has a
// token that nobody can guess, so other users of the machine see nothing.
//
// The page is written again on request, but so rarely that this takes at most a
// twentieth of the time of one processor. Without requests it costs nothing.
type Server struct {
	URL string

	host   string // of requests to the address itself
	write  func(io.Writer) error
	server http.Server

	state atomic.Pointer[runner.Progress]
	over  atomic.Bool

	// In Unix nanoseconds:
	asked atomic.Int64 // the last request of /state; 0 after the last page was sent
	next  atomic.Int64 // when the page may be written again

	drawing sync.Mutex // held while a page is written
	page    []byte
}

// Serve listens at an address that Loopback does not refuse, such as
// 127.0.0.1:0, and serves pages as write writes them until Close.
func Serve(address string, write func(io.Writer) error) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	// Browsers do not name port 80.
	host := strings.TrimSuffix(listener.Addr().String(), ":80")
	root := "/" + rand.Text() + "/"
	s := &Server{URL: "http://" + host + root, host: host, write: write}
	s.Tell(runner.Progress{})
	pages := http.NewServeMux()
	pages.HandleFunc("GET "+root+"{$}", s.servePage)
	pages.HandleFunc("GET "+root+"state", s.serveState)
	s.server = http.Server{
		Handler:           s.guard(pages),
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      time.Minute,
	}
	go func() { _ = s.server.Serve(listener) }() // until it is shut down
	return s, nil
}

// Loopback refuses addresses that other machines can reach.
func Loopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return fmt.Errorf(
			"%q is no address of the loopback interface, want for example 127.0.0.1:0", address)
	}
	return nil
}

// Tell sets the progress that browsers see.
func (s *Server) Tell(state runner.Progress) { s.state.Store(&state) }

// Close waits this long at most for browsers to get the last page, and then for
// answers that are being sent.
var (
	lastPage   = 8 * time.Second
	lastAnswer = 2 * time.Second
)

// Close ends the server within ten seconds. Browsers that watch have time to
// get the last page.
func (s *Server) Close() error {
	s.over.Store(true)
	s.next.Store(-1)                // not 0, which a first page that is being written would replace
	wait := 1500 * time.Millisecond // a page asks each second if it can
	for begin := time.Now(); s.watched() && time.Since(begin) < lastPage; {
		time.Sleep(wait)
		wait = 50 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastAnswer)
	defer cancel()
	_ = s.server.Shutdown(ctx) // or else:
	return s.server.Close()
}

// watched reports whether a browser that has not got the last page has asked
// lately.
func (s *Server) watched() bool {
	return time.Since(time.Unix(0, s.asked.Load())) < 5*time.Second
}

// guard answers only requests to the address itself. With another name in the
// Host header, a page from elsewhere has its name resolved to this server, to
// read what it must not.
func (s *Server) guard(pages http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer") // it has the token
		if strings.TrimSuffix(r.Host, ":80") != s.host {
			http.Error(w, "this is "+s.host, http.StatusMisdirectedRequest)
			return
		}
		pages.ServeHTTP(w, r)
	}
}

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	now := time.Now().UnixNano()
	s.asked.Store(now)
	state := s.state.Load()
	over := s.over.Load()
	text := state.String()
	if over {
		text = state.Summary()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the browser may have left
		"todo":   state.Todo,
		"done":   state.Done,
		"failed": state.Failed,
		"text":   text,
		"fresh":  now >= s.next.Load(),
		"over":   over,
	})
}

func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	if s.over.Load() {
		defer s.asked.Store(0)
	}
	page, err := s.draw()
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // the browser may have left
}

// draw returns the page, which is written again if it is due. Browsers that
// read slowly do not hold the lock.
func (s *Server) draw() ([]byte, error) {
	s.drawing.Lock()
	defer s.drawing.Unlock()
	due := s.next.Load()
	began := time.Now()
	if began.UnixNano() < due {
		return s.page, nil
	}
	var b bytes.Buffer
	if err := s.write(&b); err != nil {
		return nil, err
	}
	s.page = b.Bytes()
	next := began.Add(max(2*time.Second, 20*time.Since(began)))
	s.next.CompareAndSwap(due, next.UnixNano()) // unless Close was called
	return s.page, nil
}
