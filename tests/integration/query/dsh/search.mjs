// Answers searches with DSH's own service: node search.mjs STORE DATABASE QUERIES.json ANSWERS.json
import { readFileSync, writeFileSync } from 'node:fs'
import { Context } from '@deepseek-ai/cordis'
import Sessions from '@deepseek-ai/dsh-session'
import Persistence from '@deepseek-ai/dsh-session-persistence-jsonl'
import Query from '@deepseek-ai/dsh-session-query-sqlite'

const [root, path, queries, out] = process.argv.slice(2)
const context = new Context()
await context.plugin(Sessions)
await context.plugin(Persistence, { root })
await context.plugin(Query, { path, openAt: 'first-search' })
const { sessionQuery } = await new Promise(resolve => {
  context.inject(['sessions', 'sessionPersistence', 'sessionQuery'], resolve)
})

async function all(search, request) {
  const items = []
  let cursor
  do {
    const page = await search({ ...request, limit: 100, cursor })
    items.push(...page.items)
    cursor = page.nextCursor
  } while (cursor)
  return items
}

const answers = []
for (const { query, session } of JSON.parse(readFileSync(queries, 'utf8'))) {
  const sessions = await all(request => sessionQuery.searchSessions(request), { query })
  const events = await all(request => sessionQuery.searchEvents(request), { query, sessionId: session })
  answers.push({
    sessions: sessions.map(hit => [hit.header.id, hit.bestMatch.seq, hit.bestMatch.surface, hit.bestMatch.snippet]),
    events: events.map(hit => [hit.seq, hit.surface, hit.snippet]),
  })
}
writeFileSync(out, JSON.stringify(answers))
await context.fiber.dispose()
