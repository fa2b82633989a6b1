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
		ID int // { is no brace
		work func(
			ID string,
		) error
	}
	Count int
	Handler func(name string) error
	Table map[string]int
	Where interface {
		At() (int, error)
	}
	Pointer *handle
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
