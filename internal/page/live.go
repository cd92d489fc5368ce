package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"sweep/internal/progress"
)

// A Server shows a sweep while it runs, to browsers on the same machine: the
// page at /, and at /state how far it has come. It can only be read.
//
// The page is written anew when somebody asks for it, but so seldom that this
// takes a twentieth of the time of one processor at most. Nobody who does not ask
// costs anything.
type Server struct {
	URL string

	host   string // by which browsers may name it
	pages  *http.ServeMux
	write  func(io.Writer) error
	server http.Server

	state atomic.Pointer[progress.State]
	over  atomic.Bool
	asked atomic.Int64 // when the state last was, in nanoseconds

	drawing sync.Mutex // held while a page is written; guards what follows
	page    []byte
	began   time.Time // when writing it did
	took    time.Duration
	last    bool // it was written when all was over
}

// Serve listens at an address of this machine's loopback interface, such as
// 127.0.0.1:0, and serves pages as write writes them until Close.
func Serve(address string, write func(io.Writer) error) (*Server, error) {
	if err := Loopback(address); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{host: listener.Addr().String(), pages: http.NewServeMux(), write: write}
	s.URL = "http://" + s.host + "/"
	s.Tell(progress.State{})
	s.pages.HandleFunc("GET /{$}", s.servePage)
	s.pages.HandleFunc("GET /state", s.serveState)
	s.server = http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // until it is shut down
	return s, nil
}

// Loopback refuses addresses that other machines can reach.
func Loopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return fmt.Errorf("%q is no address of the loopback interface, want for example 127.0.0.1:0", address)
	}
	return nil
}

// Tell says how far the sweep has come.
func (s *Server) Tell(state progress.State) { s.state.Store(&state) }

// Close ends the server. Whoever watches has the time to get the last page.
func (s *Server) Close() error {
	s.over.Store(true)
	if time.Since(time.Unix(0, s.asked.Load())) < 5*time.Second {
		time.Sleep(1500 * time.Millisecond) // pages ask every second
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if err := s.server.Shutdown(ctx); errors.Is(err, context.DeadlineExceeded) {
		return s.server.Close()
	}
	return nil
}

// ServeHTTP implements http.Handler. A name in the Host header that is not the
// address means that a page of somewhere else has its name resolved to us, to
// read what it must not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if r.Host != s.host {
		http.Error(w, "this is "+s.URL, http.StatusMisdirectedRequest)
		return
	}
	s.pages.ServeHTTP(w, r)
}

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	s.asked.Store(time.Now().UnixNano())
	state, over, fresh := s.state.Load(), s.over.Load(), false
	text := state.String()
	if over {
		text = state.Summary()
	}
	if s.drawing.TryLock() { // else a page is being written
		fresh = s.due(over)
		s.drawing.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // who has left does not want it
		"todo": state.Todo, "done": state.Done, "failed": state.Failed, "text": text, "fresh": fresh, "over": over,
	})
}

// due reports whether the page is to be written anew.
func (s *Server) due(over bool) bool {
	if over {
		return !s.last
	}
	return time.Since(s.began) >= max(2*time.Second, 20*s.took)
}

func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	over := s.over.Load()
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if s.due(over) {
		var b bytes.Buffer
		s.began = time.Now()
		if err := s.write(&b); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		s.page, s.took, s.last = b.Bytes(), time.Since(s.began), over
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.page) // who has left does not want it
}
