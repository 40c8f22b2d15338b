// What `npm run dev` runs: gateway and console with reload. A change of TypeScript or Rust restarts the gateway;
// Vite reloads the console. Flags go to the gateway.
import { spawn } from 'node:child_process'
import { rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root, setUpOrExit } from './setup.mjs'

const flags = process.argv.slice(2)
const { values } = parseArgs({ args: flags, options: { port: { type: 'string' } }, strict: false })
const port = values.port ?? process.env.TESSERA_PORT ?? '7373'
if (port === '0') {
  console.error('npm run dev needs a port that stays the same. Choose one with --port or TESSERA_PORT.')
  process.exit(1)
}
await setUpOrExit()

const bin = join(root, 'node_modules/.bin')
const typescript = join(root, 'node_modules/typescript-native/bin/tsc')
const addon = 'native/crates/node/dist'
/** Quiet time after which a burst of changes is over, ms. */
const settled = 200

/** @typedef {import('node:child_process').ChildProcess} Child */
/** @type {Set<Child>} */
const children = new Set()
let stopping = false

/** @param {string} command @param {string[]} args @param {import('node:child_process').SpawnOptions} [options] @returns {Child} */
function start(command, args, options) {
  // A process group each: Ctrl-C reaches this process alone, which ends the others in order.
  /** @type {import('node:child_process').SpawnOptions} */
  const usual = { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true }
  const child = spawn(command, args, { ...usual, ...options })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** @param {Child} child @returns {Promise<number | null>} its exit code; null if a signal ended it */
const ended = (child) =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })

/** @param {Child} child */
function end(child) {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
    process.kill(-child.pid, 'SIGTERM')
}

/** Calls `then` once for a burst of changes. @param {string} folder @param {RegExp} files @param {() => void} then */
function onChange(folder, files, then) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  watch(join(root, folder), { recursive: true }, (_, name) => {
    if (stopping || name === null || !files.test(name)) return
    clearTimeout(timer)
    timer = setTimeout(then, settled)
  })
}

/** Runs `work` again for changes that came while it ran. @param {() => Promise<void>} work @returns {() => void} */
function again(work) {
  let running = false
  let wanted = false
  return async () => {
    wanted = true
    if (running) return
    running = true
    while (wanted) {
      wanted = false
      if (!stopping) await work()
    }
    running = false
  }
}

/** Starts a compiler that watches, and resolves when it has compiled once. @param {string} project @returns {Promise<void>} */
function compile(project) {
  const args = ['-p', project, '--watch', '--preserveWatchOutput']
  const compiler = start(process.execPath, [typescript, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve) => {
    compiler.once('exit', () => resolve())
    compiler.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      process.stdout.write(text)
      if (text.includes('Watching for file changes')) resolve()
    })
  })
}

/** @type {Child | undefined} */
let gateway

async function restartGateway() {
  if (gateway !== undefined && children.has(gateway)) {
    const exit = ended(gateway)
    end(gateway)
    await exit
  }
  if (stopping) return
  gateway = start(process.execPath, [join(root, 'server/dist/server.js'), ...flags])
  gateway.once('exit', (code) => {
    if (code !== 0 && !stopping) console.error('▸ the gateway ended; a change starts it again')
  })
}

/** A debug build: minutes faster than a release build, and it checks that the JavaScript thread waits for nothing. */
async function rebuildAddon() {
  console.error('▸ storage engine (debug build)')
  // The next `npm start` must build the release again, whatever the sources are then.
  rmSync(join(root, addon, '.tessera-stamp'), { force: true })
  const code = await ended(start('npm', ['run', '--silent', 'build:debug', '--workspace', '@tessera/native']))
  if (code !== 0 && !stopping) console.error('▸ the storage engine did not build; the gateway keeps the last one')
}

async function stop() {
  if (stopping) return
  stopping = true
  const exits = [...children].map(ended)
  for (const child of children) end(child)
  await Promise.allSettled(exits)
  process.exit(0)
}
process.on('SIGINT', stop)
process.on('SIGTERM', stop)

const url = `http://127.0.0.1:${port}`

await Promise.all([compile('native/crates/node/tsconfig.json'), compile('server/tsconfig.build.json')])
const restart = again(restartGateway)
restart()
onChange('server/dist', /\.js$/, restart)
onChange(addon, /\.(js|node)$/, restart)
onChange('native/crates', /^\w+\/(src\/.*\.rs|build\.rs|Cargo\.toml)$/, again(rebuildAddon))
start(join(bin, 'vite'), ['--clearScreen', 'false'], {
  cwd: join(root, 'web'),
  env: { ...process.env, TESSERA_URL: url },
})
