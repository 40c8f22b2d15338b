// The configuration file: every fault is named with its line, and nothing else is taken over.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { ConfigError, effectiveSettings, readConfig } from '../../src/config.js'
import { configText } from '../../src/config/report.js'

const home = mkdtempSync(join(tmpdir(), 'tessera-config-'))
const path = join(home, 'tessera.json')
afterAll(() => rmSync(home, { recursive: true }))

const fileOf = (text: string): string[] => {
  writeFileSync(path, text)
  return ['--config', path]
}

describe('a configuration file', () => {
  const text = `{
  // The port of the team.
  "port": 7400,
  "logLevel": "warn",
  "hosts": ["db.example.com", "db"],
  "devices": ["/mnt/a", "/mnt/b"],
  "noAuth": true, /* only here */
  "readerPatience": "30s",
}`

  test('sets what no variable and no flag sets', () => {
    const args = fileOf(text)
    expect(readConfig(args, {})).toMatchObject({
      port: 7400,
      logLevel: 'warn',
      hosts: ['db.example.com', 'db'],
      devicePaths: ['/mnt/a', '/mnt/b'],
      auth: false,
      readerPatienceMs: 30_000,
      io: 'auto',
    })
    const variables = { TESSERA_PORT: '7500', TESSERA_LOG_LEVEL: 'error' }
    expect(readConfig([...args, '--port', '7600'], variables)).toMatchObject({ port: 7600, logLevel: 'error' })
  })

  test('may be named by a variable, and the flag wins over that', () => {
    const args = fileOf('{"port": 7400}')
    expect(readConfig([], { TESSERA_CONFIG: path }).port).toBe(7400)
    expect(readConfig(args, { TESSERA_CONFIG: '/nowhere' }).port).toBe(7400)
  })

  test.each([
    ['{\n  "prot": 1,\n "hots": ""}', /:2: unknown setting "prot"\n.*:3: unknown setting "hots"/],
    ['{\n\n  "port": "http"}', /:3: port must be an integer from 0 to 65535, got "http"/],
    ['{"port": 1.5}', /:1: port must be an integer/],
    ['{"port": 7e3}', /:1: port must be an integer/],
    ['{"port": null}', /:1: port must be a text, a number, true or false, got null/],
    ['{"port": {}}', /:1: port must be .*, got object/],
    ['{"port": [1]}', /:1: port must be .*, got array/],
    ['{"hosts": {}}', /:1: hosts must be a text or a list of texts, got object/],
    ['{"hosts": ["a", 1]}', /:1: hosts must be a list of texts without ",", got 1/],
    ['{"hosts": ["a,b"]}', /:1: hosts must be a list of texts without ",", got "a,b"/],
    ['{"hosts": [[]]}', /:1: hosts must be a list of texts/],
    ['{"devices": ["a"]}', /:1: devices must be absolute paths/],
    ['{"port": 1,\n"port": 2}', /:2: port is set already at .*:1$/],
    ['{"port": 1\n"host": "::1"}', /:2: comma expected/],
    ['{"port":', /:1: value expected/],
    ['{} {}', /:1: end of file expected/],
    ['', /:1: the file must be one JSON object/],
    ['[]', /:1: the file must be one JSON object/],
    ['['.repeat(30_000), /tessera\.json: it has too many brackets within each other$/],
    ['x'.repeat(70_000), /cannot be read: it has 70000 bytes/],
    ['{"__proto__": 1}', /:1: unknown setting "__proto__"/],
    ['{"tlsCert": "/c.pem"}', /TESSERA_TLS_KEY/],
  ])('is refused: %.60s', (source, message) => {
    const args = fileOf(source)
    expect(() => readConfig(args, {})).toThrow(ConfigError)
    expect(() => readConfig(args, {})).toThrow(message)
  })

  test('that is not there, no file or not named is refused', () => {
    expect(() => readConfig(['--config', join(home, 'none')], {})).toThrow('none cannot be read: ENOENT')
    expect(() => readConfig(['--config', home], {})).toThrow('it is no regular file')
    expect(() => readConfig([], { TESSERA_CONFIG: '' })).toThrow('TESSERA_CONFIG need the path of a file')
  })

  test('the variables of the command line are no settings of the server', () => {
    expect(readConfig([], { TESSERA_URL: 'http://a', TESSERA_TOKEN: 't', TESSERA_TOKEN_FILE: '/t' }).port).toBe(7373)
  })
})

test('the settings are shown with where each comes from', () => {
  const args = fileOf('{\n  "port": 7400,\n  "host": "::1"}')
  const all = effectiveSettings([...args, '--host', '127.0.0.2'], { TESSERA_THREADS: '3' })
  const of = (key: string) => all.find((setting) => setting.key === key)
  expect(of('port')).toMatchObject({ value: '7400', from: `${path}:2`, fallback: '7373', live: false })
  expect(of('host')).toMatchObject({ value: '127.0.0.2', from: '--host' })
  expect(of('threads')).toMatchObject({ value: '3', from: 'TESSERA_THREADS', live: true })
  expect(of('noAuth')).toMatchObject({ value: 'false', from: 'default' })
  expect(configText(all)).toMatch(/^port +7400 +\S+:2 +7373 +restart$/m)
})

test('a terminal gets no control characters from the value of a setting', () => {
  const text = configText(effectiveSettings(['--data', '/a\u001b[31m\u202e\nb'], {}))
  expect(text).toContain(String.raw`/a\u{1b}[31m\u{202e}\u{a}b`)
})
