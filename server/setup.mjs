// Makes a clone ready to run: checks the tools, installs and builds what is missing or stale, and prints each step.
// Used by `npm start`, `npm test` and `npm run build`. Plain Node: it runs before any dependency exists.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fingerprint, isFresh, markFresh } from './setup/stamp.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** A problem that the user has to fix; its message is one line. */
export class SetupError extends Error {}

/** @typedef {{ name: string, inputs: string[], output: string, script: string }} Build `inputs` and `output` are relative to the root. */

/** @type {Build} */
const engine = {
  name: 'storage engine (release build)',
  inputs: ['native/Cargo.toml', 'native/Cargo.lock', 'native/crates'],
  output: 'native/crates/node/dist',
  script: '@tessera/native',
}

/** @type {Build} Needs the types of the engine. */
const gateway = {
  name: 'gateway',
  inputs: [
    'server/src',
    'server/package.json',
    'server/tsconfig.json',
    'server/tsconfig.build.json',
    'server/packaging/join-typebox.mjs',
    'tsconfig.base.json',
    'native/crates/node/ts',
  ],
  output: 'server/dist',
  script: '@tessera/server',
}

/** @type {Build} Writes the types of the Python client, too. */
const client = {
  name: 'clients',
  inputs: ['server/clients', 'server/openapi.json', 'tsconfig.base.json'],
  output: 'server/clients/typescript/dist',
  script: '@tessera/client',
}

/** @type {Build} Needs the client. */
const webConsole = {
  name: 'console',
  inputs: ['web', 'server/clients/typescript', 'server/openapi.json', 'tsconfig.base.json'],
  output: 'web/dist',
  script: '@tessera/web',
}

/** Brings the tree up to date. A step that is up to date only costs a fingerprint. */
export async function setUp() {
  checkNode()
  checkRust()
  await install()
  const engineAndGateway = async () => {
    await bring(engine)
    await bring(gateway)
  }
  const clientAndConsole = async () => {
    await bring(client, true)
    await bring(webConsole, true)
  }
  await Promise.all([engineAndGateway(), clientAndConsole()])
}

/** Like `setUp`, for commands: prints a problem of the user in one line and exits. */
export async function setUpOrExit() {
  try {
    await setUp()
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    console.error(`\n${error.message}`)
    process.exit(1)
  }
}

function checkNode() {
  const wanted = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.replace('>=', '')
  if (isOlder(process.versions.node, wanted)) {
    throw new SetupError(
      `Tessera needs Node.js ${wanted} or newer; this is ${process.versions.node}. Install it from nodejs.org.`,
    )
  }
}

function checkRust() {
  const wanted = /rust-version = "([\d.]+)"/.exec(readFileSync(join(root, 'native/Cargo.toml'), 'utf8'))?.[1] ?? '0'
  const cargo = spawnSync('cargo', ['--version'], { encoding: 'utf8' })
  const rustc = spawnSync('rustc', ['--version'], { encoding: 'utf8' })
  if (cargo.status !== 0 || rustc.status !== 0) {
    throw new SetupError(
      `Tessera needs Rust ${wanted} or newer (cargo, rustc), but found none. Install it from rustup.rs.`,
    )
  }
  const found = /\d+\.\d+\.\d+/.exec(rustc.stdout)?.[0] ?? '0'
  if (isOlder(found, wanted)) {
    throw new SetupError(`Tessera needs Rust ${wanted} or newer; this is ${found}. Run: rustup update stable`)
  }
}

/** @param {string} found @param {string} wanted versions such as 20.19 */
function isOlder(found, wanted) {
  const have = found.split('.').map(Number)
  for (const [i, need] of wanted.split('.').map(Number).entries()) {
    if ((have[i] ?? 0) !== need) return (have[i] ?? 0) < need
  }
  return false
}

async function install() {
  const folders = ['server', 'server/clients/typescript', 'web', 'native/crates/node', 'e2e']
  const print = fingerprint(root, [
    'package-lock.json',
    'package.json',
    ...folders.map((path) => `${path}/package.json`),
  ])
  const stamp = join(root, 'node_modules/.tessera-stamp')
  if (isFresh(stamp, print)) return
  await step('dependencies', 'npm', ['ci', '--no-audit', '--no-fund'])
  markFresh(stamp, print)
}

/** @param {Build} build @param {boolean} [beside] whether another build writes to the terminal meanwhile */
async function bring({ name, inputs, output, script }, beside = false) {
  const print = fingerprint(root, inputs)
  const stamp = join(root, output, '.tessera-stamp')
  if (isFresh(stamp, print)) return
  await step(name, 'npm', ['run', 'build', '--workspace', script], beside)
  if (!existsSync(join(root, output)))
    throw new SetupError(`The build of ${script} wrote nothing to ${output}. Report this as a bug.`)
  markFresh(stamp, print)
}

/**
 * Runs one command with its output on this terminal: as it comes, or only if it fails. Prints its name before and its
 * duration after it.
 * @param {string} name @param {string} command @param {string[]} args @param {boolean} [quiet]
 */
async function step(name, command, args, quiet = false) {
  const started = Date.now()
  console.error(`▸ ${name}`)
  const child = spawn(command, args, { cwd: root, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  if (code !== 0) {
    process.stderr.write(output)
    throw new SetupError(`The step "${name}" failed; see its output above. Command: ${command} ${args.join(' ')}`)
  }
  console.error(`✔ ${name}, ${((Date.now() - started) / 1000).toFixed(1)} s`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setUpOrExit()
}
