import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { bash } from '../gateway/shell.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const doc = readFileSync(join(root, 'docs/curl.md'), 'utf8')

interface Task {
  heading: string
  command: string
}

/** The shell blocks of a page, each with the heading above it. */
function tasks(page: string): Task[] {
  const found: Task[] = []
  let heading = ''
  for (const [text, title, command] of page.matchAll(/^#+ (.+)$|^```sh\n([\s\S]*?)^```/gm)) {
    if (title !== undefined) heading = title
    else if (command !== undefined) found.push({ heading, command: command.trim() })
    else throw new Error(`not understood: ${text}`)
  }
  return found
}

const [variables, ...commands] = tasks(doc)
const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(home)
  // curl fails on an error answer, and the verbs of the clone are at hand, as they are for a reader of the page.
  writeFileSync(join(home, '.curlrc'), 'silent\nshow-error\nfail-with-body\n')
  const script = `cd ${root} && npm run --silent events --`
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, scripts: { events: script } }))
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

/** What each command must print, by a piece of the command. */
const expected: [piece: string, output: RegExp][] = [
  ['--json \'{"name":"demo"', /"name":"demo"/],
  ['$TESSERA/api/v1/namespaces/demo', /"engine":"memory"/],
  ['-X PUT', /"generation":1/],
  ['records/ada', /9007199254740993/],
  ['Content-Type: application/x-ndjson', /"written":2/],
  ['/size?set=users', /\b2\b/],
  ['-T events.csv', /"inserted":20000/],
  ['"where":{"bin":"event_type"', /WatchEvent|"repo_id":/],
  ['"kind":"document"', /"state":"done"/],
  ['"select":["repo_id","payload"]', /test@gmail\.com/],
  ['"explain":true', /document-index/],
  ['/live', /^(event|id|data|retry|:)/m],
  ['/export?', /"key":"ada"/],
  ['?dryRun=true', /"records":\d+/],
  ['/absent', /namespace_not_found/],
]

describe('docs/curl.md', () => {
  test('begins with the address and the token', () => {
    expect(variables?.command).toContain('http://127.0.0.1:7373')
    expect(commands.length).toBeGreaterThan(20)
  })

  test.each(commands)('$heading: $command', async ({ command }) => {
    const setting = variables?.command.replace('http://127.0.0.1:7373', gateway.url) ?? ''
    const result = await bash(`${setting}\n${command}`, { cwd: home, env: { CURL_HOME: home } })
    expect(result.code, `${result.stdout}\n${result.stderr}\n${gateway.output()}`).toBe(0)
    for (const [, output] of expected.filter(([piece]) => command.includes(piece))) {
      expect(result.stdout).toMatch(output)
    }
  })
})
