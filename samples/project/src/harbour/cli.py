"""The command line: add, work, dead, requeue."""

import argparse
import json

from harbour.delivery import deliver
from harbour.queue import Queue
from harbour.worker import Worker


def main() -> int:
    """Runs one command."""
    parser = argparse.ArgumentParser(prog="harbour")
    parser.add_argument("--db", default="harbour.db")
    commands = parser.add_subparsers(dest="command", required=True)
    add = commands.add_parser("add", help="put a job in")
    add.add_argument("kind")
    add.add_argument("payload", type=json.loads)
    commands.add_parser("work", help="run jobs until stopped")
    commands.add_parser("dead", help="list failed jobs")
    commands.add_parser("requeue", help="put a failed job back").add_argument("id", type=int)
    args = parser.parse_args()
    queue = Queue(args.db)
    if args.command == "add":
        print(queue.add(args.kind, args.payload))
    elif args.command == "work":
        Worker(queue, {"deliver": deliver}).run()
    elif args.command == "dead":
        for id_, kind, error in queue.dead():
            print(f"{id_}\t{kind}\t{error}")
    elif not queue.requeue(args.id):
        print(f"job {args.id} is not dead")
        return 1
    return 0
