import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { environment, newHome, removeHome } from '../gateway/gateway.ts'

// Somebody without Rust and without the repository installs the packages of a release, and starts the server.

const root = fileURLToPath(new URL('../../', import.meta.url))
const home = newHome()
const packed = join(home, 'packed')
const app = join(home, 'app')
let tarballs: string[]
const ending: (() => Promise<void>)[] = []

function run(command: string, args: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', env: environment })
  expect(status, `${command} ${args.join(' ')}\n${stdout}${stderr}`).toBe(0)
  return stdout
}

const filesOf = (tarball: string): string[] =>
  run('tar', ['tzf', tarball], home)
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))

const tarballOf = (name: RegExp): string => tarballs.find((path) => name.test(basename(path))) ?? 'none'

beforeAll(() => {
  const lines = run('node', ['server/packaging/pack.mjs', '--out', packed], root)
  tarballs = lines.trim().split('\n')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true }\n')
  const quick = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  run('npm', ['install', ...quick, ...tarballs], app)
  // The only program that is found.
  mkdirSync(join(home, 'bin'))
  symlinkSync(process.execPath, join(home, 'bin/node'))
})

afterAll(async () => {
  for (const end of ending) await end()
  removeHome(home)
})

test('each package has its licence, its manifest, and only what runs', () => {
  const allowed: [RegExp, RegExp][] = [
    [
      /^tessera-\d/,
      /^(server\/dist\/.+\.js|server\/tessera\.mjs|server\/package\.json|server\/licences\.json|web\/dist\/.+|CHANGELOG\.md)$/,
    ],
    [/^tessera-native-\d/, /^dist\/[\w-]+(\.d\.ts|\.js)$/],
    [/^tessera-native-[a-z]/, /^tessera\.[\w-]+\.node$/],
  ]
  for (const [name, own] of allowed) {
    const files = filesOf(tarballOf(name))
    const always = ['LICENSE', 'README.md', 'package.json']
    expect(files.filter((path) => always.includes(path)).sort()).toEqual(always)
    expect(files.filter((path) => !always.includes(path) && !own.test(path))).toEqual([])
    expect(files.filter((path) => /\.map$|\.test\.|(^|\/)tests?\/|\.(pem|key|token|env)$/.test(path))).toEqual([])
  }
})

test('no package runs a script when it is installed, and all have one version', () => {
  const manifests = tarballs.map(
    (path) => JSON.parse(run('tar', ['xzOf', path, 'package/package.json'], home)) as Record<string, unknown>,
  )
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(manifests.length).toBeGreaterThanOrEqual(3)
  for (const manifest of manifests) expect(manifest).toMatchObject({ version, license: 'Apache-2.0' })
  expect(manifests.filter((manifest) => 'scripts' in manifest || 'private' in manifest)).toEqual([])
})

test('the command says its version', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(run('npx', ['tessera', '--version'], app).trim()).toBe(version)
})

test('the server starts without Rust, stores a record, and serves the console', async () => {
  const data = join(home, 'data')
  const child = spawn(
    join(home, 'bin/node'),
    [join(app, 'node_modules/.bin/tessera'), 'start', '--port', '0', '--data', data],
    {
      cwd: app,
      env: { PATH: join(home, 'bin') },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const exit = once(child, 'exit')
  ending.push(async () => {
    child.kill('SIGKILL')
    await exit
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (text += piece.toString()))
  const listening = (): string | undefined => /Tessera listens on (http:\S+?),/.exec(text)?.[1]
  await expect.poll(() => listening() ?? (child.exitCode === null ? 'starting' : text)).toMatch(/^http:/)
  const url = listening() ?? ''

  const token = readFileSync(join(data, 'admin.token'), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const namespace = JSON.stringify({ name: 'demo', storage: { engine: 'device' } })
  const created = await fetch(`${url}/api/v1/namespaces`, { method: 'POST', headers, body: namespace })
  expect(created.status, await created.text()).toBe(201)
  const record = `${url}/api/v1/namespaces/demo/sets/s/records/ada`
  expect((await fetch(record, { method: 'PUT', headers, body: '{"n":1}' })).ok).toBe(true)
  expect(await (await fetch(record, { headers })).json()).toMatchObject({ bins: { n: 1 } })

  const page = await (await fetch(`${url}/login`)).text()
  expect(page).toContain('<title>')
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(readFileSync(join(root, 'web/dist/index.html'), 'utf8'))?.[1]
  const asset = await fetch(`${url}${script}`)
  expect([asset.status, asset.headers.get('content-type')]).toEqual([200, expect.stringContaining('javascript')])

  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})
