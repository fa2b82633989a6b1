package main

import (
	"fmt"
	log "example.com/log"
)

const Limit = 3

type Reader[T any] struct {
	size int
}

type Source interface {
	Read() error
}

type ID string

type (
	Name = ID
	// Nope = int
	Pair[T any] = [2]T

	Lines  = []string
	handle struct {
		size int
	}
)

var (
	shadow = Limit
)

// func notMe() {}
func (r *Reader[T]) Read(path string) error {
	fmt.Println(`
func norMe() {}
`)
	shadow = Limit
	return nil
}

func main() { log.Fatal("func nope() {}") }
