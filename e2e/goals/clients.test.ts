// The examples of docs/clients.md run as written, and the Python client passes its tests and its types.
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environment, type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { hasPython, install, run } from '../gateway/python.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/clients.md'), 'utf8')
const python = join(root, 'server/clients/python')
const canPython = await hasPython()
const home = newHome()
let gateway: Gateway
let programs = ''

/** The blocks of a language, each after the lines of the first. */
function examples(language: string): { heading: string; text: string }[] {
  const found: { heading: string; text: string }[] = []
  let heading = ''
  for (const [, title, kind, text = ''] of page.matchAll(/^#+ (.+)$|^```(\w*)\n([^]*?)^```/gm)) {
    if (title !== undefined) heading = title
    else if (kind === language) found.push({ heading, text })
  }
  const [first, ...others] = found
  return others.map(({ heading: of, text }) => ({ heading: of, text: `${first?.text}\n${text}` }))
}

const inNode = examples('js')
const inPython = examples('python')

/** What examples print, in both languages. */
const prints: Record<string, RegExp> = {
  'Write and read records': /^9007199254740993n?$/m,
  'Read a stream': /(ada|bob)[^]*\w{10,}/,
  'Write many records': /written'?: 3/,
  'Import a file': /rows'?: 1000/,
  'Read a list': /^\d+ \d+$/m,
  'Wait for a job': /^done .*records/,
  'Export records': /^(\d+|(\w+\n)*(ada|bob)(\n\w+)*)\n$/,
  'Watch live metrics': /^\d+/,
  'Handle failures': /^record_not_found 404 \S+$/m,
  Retries: /^true$/im,
}

const variables = (): NodeJS.ProcessEnv => ({
  ...environment,
  TESSERA_URL: gateway.url,
  TESSERA_TOKEN: gateway.token,
  PYTHONPATH: python,
  PYTHONDONTWRITEBYTECODE: '1',
})

beforeAll(async () => {
  gateway = await startGateway(home)
  mkdirSync(join(home, 'node_modules/@tessera'), { recursive: true })
  symlinkSync(join(root, 'server/clients/typescript'), join(home, 'node_modules/@tessera/client'))
  if (canPython) programs = await install('python-client', join(python, 'tests/requirements.txt'))
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

describe('docs/clients.md', () => {
  test('has every example in both languages', () => {
    expect(inNode.length).toBeGreaterThan(8)
    expect(inPython.map(({ heading }) => heading)).toEqual(inNode.map(({ heading }) => heading))
    expect(Object.keys(prints).filter((heading) => !inNode.some((one) => one.heading === heading))).toEqual([])
  })

  test.each(inNode)('TypeScript: $heading', async ({ heading, text }) => {
    const file = join(home, 'example.mjs')
    writeFileSync(file, text)
    const ended = await run(process.execPath, [file], { cwd: home, env: variables() })
    expect(ended.code, ended.text).toBe(0)
    expect(ended.text).toMatch(prints[heading] ?? /^$/)
  })

  test('its examples have the types of the client', async () => {
    for (const [at, { text }] of inNode.entries()) writeFileSync(join(home, `example${at}.ts`), `${text}\nexport {}\n`)
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext']
    const files = inNode.map((_, at) => `example${at}.ts`)
    writeFileSync(join(home, 'package.json'), '{"type":"module"}')
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const tsc = join(root, 'node_modules/.bin/tsc')
    const ended = await run(tsc, [...options, ...types, ...files], { cwd: home })
    expect(ended.text).toBe('')
  })

  test.skipIf(!canPython).each(inPython)('Python: $heading', async ({ heading, text }) => {
    const file = join(home, 'example.py')
    writeFileSync(file, text)
    const ended = await run(join(programs, 'python'), [file], { cwd: home, env: variables() })
    expect(ended.code, ended.text).toBe(0)
    expect(ended.text).toMatch(prints[heading] ?? /^$/)
  })
})

describe.skipIf(!canPython)('the Python client', () => {
  test('passes its tests', async () => {
    const ended = await run(join(programs, 'python'), ['-m', 'pytest', '-q'], { cwd: python, env: variables() })
    expect(ended.code, ended.text).toBe(0)
    expect(ended.text).toMatch(/\d+ passed/)
  })

  test('has types that a strict checker accepts, and so do its examples', async () => {
    const files = inPython.map((_, at) => join(home, `example${at}.py`))
    for (const [at, { text }] of inPython.entries()) writeFileSync(files[at] ?? '', text)
    const options = ['--config-file', 'pyproject.toml', '--cache-dir', join(programs, '../mypy')]
    const args = ['-m', 'mypy', ...options, 'tessera_client', 'tests', ...files]
    const ended = await run(join(programs, 'python'), args, { cwd: python, env: { ...variables(), MYPYPATH: 'tests' } })
    expect(ended.text).toMatch(/^Success/)
  })
})
