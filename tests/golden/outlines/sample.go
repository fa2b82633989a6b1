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

// func notMe() {}
func (r *Reader[T]) Read(path string) error {
	fmt.Println(`
func norMe() {}
`)
	return nil
}

func main() { log.Fatal("func nope() {}") }
