import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createServer as createHttpServer, type OutgoingHttpHeaders, request as httpRequest } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { environment, type Gateway, newHome, removeHome, startGateway } from '../gateway/gateway.ts'
import { isLong } from '../gateway/long.ts'
import { tasks } from '../gateway/page.ts'
import { bash } from '../gateway/shell.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const command = join(root, 'server/tessera.mjs')
const [variables, ...commands] = tasks(readFileSync(join(root, 'docs/cli.md'), 'utf8'))
const home = newHome()
let gateway: Gateway

beforeAll(async () => {
  gateway = await startGateway(home)
  mkdirSync(join(home, 'bin'))
  symlinkSync(command, join(home, 'bin/tessera'))
})

afterAll(async () => {
  await gateway.stop()
  removeHome(home)
})

const PATH = `${join(home, 'bin')}:${process.env['PATH'] ?? ''}`

/** Runs commands as a reader would type them, with the address that this gateway has. */
const typed = (script: string) => {
  const all = `${variables?.command}\nset -o pipefail\n${script}`
  return bash(all.replace('http://127.0.0.1:7373', gateway.url), { cwd: home, env: { PATH } })
}

/** What commands must print. */
const rules: [command: RegExp, output: RegExp][] = [
  [/namespaces create demo/, /^name +demo$/m],
  [/import copy demo\.ndjson/, /^inserted +[1-9]\d*$/m],
  [/--keep-generations/, /^updated +[1-9]\d*$/m],
  [/^tessera namespaces list/, /^NAME +ENGINE.*\ndemo +memory +ready/],
  [/^tessera put/, /^created +true$/m],
  [/^tessera get/, /"visits":9007199254740993/],
  [/^tessera import|people.csv/, /^inserted +2$/m],
  [/^tessera query/, /^\{[^\n]*"name":"Bob"[^\n]*\}\n$/],
  [/^tessera scan/, /^(\{[^\n]+\n){2}$/],
  [/--format csv/, /^key,id,name\n(\d,\d,\w+\n){2}$/],
  [/jobs watch/, /^state +done$/m],
  [/index list/, /^ages +people +age +range +ready/m],
  [/index drop/, /^indexes +1$/m],
  [/jobs list/, /^ID +KIND.*\n(.*\n)*.* index-build +demo +done/],
  [/^tessera backup demo/, /^state +done$/m],
  [/^tessera backups list$/, /^ID +NAMESPACE.*\n\S+ +demo +complete/m],
  [/^tessera verify/, /^kind +verify$/m],
  [/^tessera restore/, /restored/],
  [/^tessera backups delete/, /^state +complete$/m],
  [/^tessera bench/, /^state +done$/m],
  [/^tessera lab list/, /^tps +\S/m],
  [/^tessera revisions list --namespace/, /^NUMBER +AT +WHO +CAUSE.*\n(.*\n)*1 .* created/],
  [/^tessera revisions show/, /^config\.name +demo$/m],
  [/^tessera revisions diff/, /^SETTING +FROM +TO +APPLIES$/m],
  [/^tessera revisions restore/, /^SETTING +FROM +TO +APPLIES$/m],
  [/^tessera revisions list$/, /^1 .* start +created/m],
  [/user create/, /^name +ada$/m],
  [/user grant/, /"role":"operator"/],
  [/user list/, /^ada +/m],
  [/token create/, /^demo +memory/m],
  [/token list/, /nightly-load/],
  [/session list/, /^ID +USER/],
  [/^tessera status/, /^healthy +true$/m],
  [/^tessera health/, /^status +ok$/m],
  [/^tessera config/, /^port +7400 +--port +7373/m],
  [/verify$/, /^ok +true$/m],
  [/--offline/, /^ok: \d+ entries/],
]

describe('docs/cli.md', () => {
  test('every rule is about a command', () => {
    expect(commands.length).toBeGreaterThan(20)
    expect(rules.filter(([about]) => !commands.some((task) => about.test(task.command)))).toEqual([])
  })

  test.each(commands)('$heading: $command', async (task) => {
    const result = await typed(task.command)
    expect(result.code, `${result.stdout}\n${result.stderr}\n${gateway.output()}`).toBe(0)
    for (const [, output] of rules.filter(([about]) => about.test(task.command))) expect(result.stdout).toMatch(output)
  })
})

describe('a command that fails', () => {
  /** That refuse a name of dots as the two above them do. */
  const others: [command: string, exit: number, message: RegExp][] = [
    ['tessera delete demo . ada', 2, /^input_invalid: /],
    ['tessera get .. users ada', 2, /^input_invalid: /],
    ['tessera scan ..', 2, /^input_invalid: /],
    ['tessera export ..', 2, /^input_invalid: /],
    ['tessera token revoke ..', 2, /^input_invalid: /],
  ]

  test.each([
    ['tessera', 2, /Usage: tessera/],
    ['tessera nothing', 2, /unknown command 'nothing'/],
    ['tessera get demo', 2, /missing required argument 'set'/],
    ['tessera get demo users nobody', 5, /^record_not_found: /],
    ['tessera revisions show 0', 2, /^input_invalid: the number of a revision must be an integer of 1 or more/],
    ['tessera revisions diff 99 --namespace demo', 5, /^revision_not_found: /],
    ['tessera get nowhere s k', 5, /^namespace_not_found: /],
    ['tessera put demo s k "{"', 2, /^input_invalid: bins is no JSON/],
    ['tessera put demo s k \'{"a":{"b"\'', 2, /^input_invalid: /],
    ['tessera query demo \'{"sett":"s"}\'', 2, /^\w+: /],
    ['tessera import demo none.csv --key id', 2, /^input_invalid: none\.csv cannot be read/],
    ['tessera import demo . --key id', 2, /it is a directory/],
    ['tessera namespaces create demo', 6, /^namespace_exists: /],
    ['tessera scan demo --limit many', 2, /^input_invalid: --limit must be an integer/],
    ['tessera user create eve --grant "Reader!" </dev/null', 2, /^input_invalid: a grant must be such as/],
    ['tessera user create eve --grant reader </dev/null', 2, /^input_invalid: standard input has no password/],
    ['echo short | tessera user create eve --grant reader', 2, /^\w+: .*password/],
    ['tessera --url http://127.0.0.1:1 status', 3, /^unreachable: cannot reach http:\/\/127\.0\.0\.1:1/],
    ['tessera --url http://127.0.0.1:1 health', 3, /^unreachable: cannot reach http:\/\/127\.0\.0\.1:1/],
    ['tessera --url http://user:secret@127.0.0.1 status', 2, /^input_invalid: /],
    ['TESSERA_TOKEN=wrong tessera status', 4, /^auth_required|^\w+: /],
    ['tessera --token-file none status', 2, /^input_invalid: the token cannot be read/],
    ['tessera --token-file people.csv status', 2, /^input_invalid: people.csv has no token/],
    ['tessera --data nowhere status', 4, /^auth_required: /],
    ['tessera config --port many', 2, /^config_invalid: --port must be an integer/],
    ['tessera completion tcsh', 2, /^input_invalid: the shell must be one of bash, zsh, fish/],
    ['tessera audit verify --head 1', 2, /^\w+: /],
    ['tessera jobs watch nope', 5, /^job_not_found: /],
    ["tessera put demo .. k '{}'", 2, /^input_invalid: a name or key "\.\." cannot be sent/],
    ["tessera put demo users .. '{}'", 2, /^input_invalid: .* use its digest/],
    ['tessera sets truncate demo .. --confirm demo', 2, /^input_invalid: /],
    ...(isLong ? others : []),
    ['tessera --url "http://127.0.0.1:1/?a" status', 2, /^input_invalid: the address of the server can have no/],
    ['tessera start --bogus', 2, /^config_invalid: Unknown option '--bogus'/],
    ['tessera --data other start', 2, /^input_invalid: options of "start" come after it/],
  ])('%s', async (script, exit, message) => {
    const { code, stdout, stderr } = await typed(script)
    expect([code, stdout], stderr).toEqual([exit, ''])
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('    at ')
  })

  test.each([
    ['tessera get demo users nobody --json', 5, 'record_not_found'],
    ['tessera --json', 2, 'input_invalid'],
    ['tessera nothing --json', 2, 'input_invalid'],
    ['tessera get demo --json', 2, 'input_invalid'],
    ['tessera jobs list --bogus --json', 2, 'input_invalid'],
    ['tessera start --bogus --json', 2, 'config_invalid'],
  ])('says so as JSON for programs: %s', async (script, exit, code) => {
    const result = await typed(script)
    expect([result.code, JSON.parse(result.stderr)]).toMatchObject([exit, { error: { code } }])
  })

  test('prints no answer that was cut off as if it were whole', async () => {
    const server = createServer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n')
        socket.destroySoon()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const { code, stderr } = await typed(`tessera --url http://127.0.0.1:${port} export demo`)
    server.close()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^cut_off: /)])
  })
})

describe('an export to a file', () => {
  /**
   * Passes requests on to the gateway, and cuts each answer of an export that is not whole after so many bytes, once
   * `read` says that the client has them: what it has not read is lost with the connection.
   */
  const cutting = async (most: number, read: () => Promise<void> = () => Promise.resolve()) => {
    const asked: string[] = []
    const server = createHttpServer((request, answer) => {
      const { url = '', headers } = request
      asked.push(url)
      httpRequest(gateway.url + url, { headers }, (from) => {
        answer.writeHead(from.statusCode ?? 500, from.headers)
        let left = most
        from.on('data', (piece: Buffer) => {
          // What comes before the connection is gone belongs to the part that is cut off, and so does the end.
          if (left < 0) return
          if (piece.length <= left) answer.write(piece)
          else answer.write(piece.subarray(0, left), () => void read().finally(() => answer.destroy()))
          left -= piece.length
        })
        from.on('end', () => left < 0 || answer.end())
        answer.on('close', () => from.destroy())
      }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    return { url: `http://127.0.0.1:${(server.address() as { port: number }).port}`, asked, server }
  }

  beforeAll(async () => {
    const rows = Array.from({ length: 300 }, (_, n) => `${n % 2 ? 'k,' : ''}${n},${n},${'ä'.repeat(n % 90)}`)
    const csv = rows.map((row) => row.replace(/^k,(\d+)/, '"k,$1"')).join('\n')
    await typed(`printf '%s\n' 'id,n,pad' '${csv}' > parts.csv; tessera import demo parts.csv --set parts --key id`)
  })

  test.each(['', '--format csv', '--format csv --set parts --columns n', '--format msgpack'])(
    'goes on where it broke off, as often as it does: %s',
    async (options) => {
      const whole = join(home, 'whole')
      const part = join(home, 'part')
      await typed(`rm -f whole part; tessera export demo ${options} --resume whole`)
      const size = statSync(whole).size
      const sizeOfPart = (): number => statSync(part, { throwIfNoEntry: false })?.size ?? 0
      let had = 0
      const proxy = await cutting(Math.ceil(size / 3) + 7, async () => {
        await expect.poll(sizeOfPart).toBeGreaterThan(had)
      })
      const codes: (number | null)[] = []
      while (codes.length < 9 && codes.at(-1) !== 0) {
        had = sizeOfPart()
        const { code, stderr } = await typed(`tessera --url ${proxy.url} export demo ${options} --resume part`)
        expect(stderr, stderr).toMatch(
          code === 0 ? /^(go on behind byte \d+ of part\n)?$/ : /the same command again to go on/,
        )
        codes.push(code)
      }
      proxy.server.close()
      expect(codes.length).toBeGreaterThan(1)
      expect(codes.at(-1)).toBe(0)
      expect(readFileSync(part).equals(readFileSync(whole))).toBe(true)
      expect(proxy.asked.slice(1).every((url) => /[?&]after(Key)?=/.test(url) && url.includes('exportId='))).toBe(true)
      expect(existsSync(`${part}.resume`)).toBe(false)
    },
  )

  test('leaves a file alone that is none of its own', async () => {
    await typed('rm -f whole whole.resume; tessera export demo --resume whole')
    const { code, stderr } = await typed('tessera export demo --resume whole')
    expect([code, stderr]).toEqual([2, expect.stringContaining('whole is there, and is no export that broke off')])
    const proxy = await cutting(10)
    expect((await typed(`rm -f part; tessera --url ${proxy.url} export demo --resume part`)).code).toBe(1)
    proxy.server.close()
    const other = await typed('tessera export demo --set users --resume part')
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('part is of another export')])
    expect((await typed('tessera export demo --resume part')).code).toBe(0)
    expect(readFileSync(join(home, 'part')).equals(readFileSync(join(home, 'whole')))).toBe(true)
  })
})

describe('a server that is none of ours', () => {
  const all = ['get demo s k', 'scan demo', "query demo '{}'", 'export demo', 'audit export', 'diagnostics', 'status']
  const bodies: [headers: OutgoingHttpHeaders, body: string][] = [
    [{ 'content-type': 'application/x-ndjson' }, '{"a":1}\n{"b":'],
    [{ 'content-type': 'application/json' }, '{"a":'],
    [{ 'content-type': 'text/html' }, '<html>{"a":1}</html>\n'],
    [{}, '<html>\n'],
    [{ 'content-encoding': 'br' }, '{"a":1}\n'],
    [{ 'content-type': 'application/x-ndjson' }, '{"a":1}\n{"error":{"code":"internal","message":"broken"}}\n'],
  ]

  /** Runs a command with a server that always answers so. */
  const answered = async (args: string, status: number, headers: OutgoingHttpHeaders, body: string) => {
    const server = createHttpServer((_, response) => response.writeHead(status, headers).end(body)).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const result = await typed(`tessera --url http://127.0.0.1:${port} ${args}`)
    server.close()
    return result
  }

  /** Each command with two of the bodies in turn, so that each body is met by two commands or more; all if the run is long. */
  const met = all.map((args, turn) => {
    return [args, bodies.filter((_, at) => isLong || at % 3 === turn % 3)] as const
  })

  test.each(met)('tessera %s fails whatever is broken', async (args, broken) => {
    const results = []
    for (const [headers, body] of broken) results.push(await answered(args, 200, headers, body))
    expect(results.map(({ code }) => code)).toEqual(broken.map(() => 1))
    for (const { stderr } of results) expect(stderr).toMatch(/^(cut_off|answer_invalid|internal): .+\n$/)
  })

  test('its error is one line', async () => {
    const { code, stderr } = await answered('status', 404, {}, '{"code":"c","detail":"a\\nb\\u001b[1m"}')
    expect([code, stderr]).toEqual([5, 'c: a\\nb [1m\n'])
  })

  test.each([
    ['--json ', '{}\n'],
    ['', ''],
  ])('an empty answer prints nothing that is undefined: %s', async (option, stdout) => {
    expect(await answered(`${option}token revoke t`, 204, {}, '')).toEqual({ code: 0, stdout, stderr: '' })
  })
})

describe('in a pipe', () => {
  test('a reader that has enough ends it quietly', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => `${n},${'x'.repeat(200)}`).join('\n')
    const load = spawn('bash', ['-c', `tessera --url ${gateway.url} import demo --set big --key id`], {
      cwd: home,
      env: { ...environment, PATH },
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    load.stdin.end(`id,pad\n${rows}\n`)
    expect(await once(load, 'exit')).toEqual([0, null])
    const { code, stdout, stderr } = await typed('tessera export demo --set big | head -n 1')
    expect([code, stderr, stdout.split('\n')]).toEqual([0, '', [expect.stringContaining('"pad"'), '']])
    expect((await typed('tessera export demo --set big | wc -l')).stdout.trim()).toBe('20000')
  })
})

test('a token is readable only by its owner', () => {
  expect(statSync(join(home, 'nightly.token')).mode & 0o077).toBe(0)
})

test('start is the server: it takes its flags, and stops at a signal', async () => {
  const child = spawn(command, ['start', '--port', '0', '--data', join(home, 'other')], { cwd: home, env: environment })
  let said = ''
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (piece: Buffer) => {
      said += piece.toString()
      if (said.includes('login?')) resolve()
    })
  })
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

describe('made from the same definitions', () => {
  const complete = (line: string): string => {
    const words = line.split(' ')
    const script = `source tessera.bash; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _tessera; echo "\${COMPREPLY[@]}"`
    return spawnSync('bash', ['-c', script], { cwd: home, encoding: 'utf8' }).stdout.trim()
  }

  test.each([
    ['tessera jo', 'jobs'],
    ['tessera jobs ', 'list show watch abort'],
    ['tessera --json token c', 'create'],
    ['tessera user create --gr', '--grant'],
    ['tessera jobs watch --ur', '--url'],
  ])('completion of "%s"', (line, choices) => {
    expect(complete(line)).toBe(choices)
  })

  test('the manual has every command, and man can read it', async () => {
    const { stdout } = await typed('tessera manual')
    for (const name of ['get', 'import', 'token create', 'jobs watch', 'audit verify'])
      expect(stdout).toContain(`\n.SS ${name}`)
    const shown = spawnSync('groff', ['-man', '-Tascii', '-ww'], { input: stdout, encoding: 'utf8' })
    expect(shown.error === undefined ? shown.stderr : '').toBe('')
  })
})
