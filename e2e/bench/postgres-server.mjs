// A PostgreSQL 15 of its own for one benchmark: Debian's packages unpacked into a folder (nothing is installed, no maintainer
// script runs), a new cluster that listens on a socket in that folder only, and the way to stop it again.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const user = 'bench'
const installed = '/usr/lib/postgresql/15/bin'
const packages = ['postgresql-15', 'postgresql-client-15', 'libpq5']
/** Never taken from a package: the C library has to be the system's, and LLVM serves the jit only, which is off. */
const left = /^(libc6|libllvm)/

/** As generous as two processors allow; what is not named here has its default, `fsync` and `synchronous_commit` too. */
export const settings = {
  shared_buffers: '1GB',
  maintenance_work_mem: '1GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '30min',
  max_parallel_workers_per_gather: '2',
  jit: 'off',
  autovacuum: 'off', // it would work beside what is measured; VACUUM ANALYZE runs before the queries
  listen_addresses: '',
  unix_socket_permissions: '0777',
}

/** @typedef {{ bin: string, environment: Record<string, string> }} Programs where they are and what they are run with */
/** @typedef {{ uid: number, gid: number } | {}} Account */
/** @typedef {{ run: (program: string, args: string[]) => Promise<string>, stop: () => void }} Server */

/**
 * Starts a server with an empty cluster below `scratch`. `run` runs a client program against it and resolves with its
 * standard output.
 * @param {string} scratch a folder that every user can go through
 * @returns {Promise<Server>}
 */
export async function startPostgres(scratch) {
  const programs = bring(join(scratch, 'postgresql'))
  const [data, socket] = [join(scratch, 'pgdata'), join(scratch, 'pgsocket')]
  const account = accountFor(data, socket)
  const cluster = ['-D', data, '-U', user, '-E', 'UTF8', '--no-locale', '-A', 'trust', '--no-instructions']
  await ended(spawnOf(programs, 'initdb', cluster, account), 'initdb')
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawnOf(programs, 'postgres', ['-D', data, '-k', socket, ...options], account)
  const stop = () => stopServer(programs, data, account)
  try {
    await ready(server)
  } catch (error) {
    stop()
    throw error
  }
  const connection = { PGHOST: socket, PGUSER: user, PGDATABASE: 'postgres' }
  const client = { ...programs, environment: { ...programs.environment, ...connection } }
  return { run: (program, args) => ended(spawnOf(client, program, args, {}), program), stop }
}

/** Whoever ran it, the server of this data folder and no other. @param {Programs} programs @param {string} data @param {Account} account */
function stopServer({ bin, environment }, data, account) {
  if (!existsSync(join(data, 'postmaster.pid'))) return
  const args = ['-D', data, '-m', 'immediate', '-w', 'stop']
  const { status, stderr } = spawnSync(join(bin, 'pg_ctl'), args, {
    env: environment,
    cwd: '/',
    encoding: 'utf8',
    ...account,
  })
  if (status !== 0) console.error(`PostgreSQL was not stopped: ${stderr}`)
}

/** PostgreSQL does not run as root, so root lends it the account of nobody. @param {string[]} folders @returns {Account} */
function accountFor(...folders) {
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
  for (const folder of folders) {
    mkdirSync(folder, { mode: 0o700 })
    if (account !== undefined) chownSync(folder, account.uid, account.gid)
  }
  // Clients are of our own account.
  chmodSync(/** @type {string} */ (folders.at(-1)), 0o711)
  return account ?? {}
}

/** @param {Programs} programs @param {string} program @param {string[]} args @param {Account} account */
function spawnOf({ bin, environment }, program, args, account) {
  return spawn(join(bin, program), args, {
    env: environment,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  })
}

/** @param {import('node:child_process').ChildProcess} child @param {string} name @returns {Promise<string>} */
function ended(child, name) {
  return new Promise((resolve, reject) => {
    let [output, errors] = ['', '']
    child.stdout?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (output += chunk))
    child.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (errors += chunk))
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${name} ended with ${code}: ${errors}`)),
    )
  })
}

/** @param {import('node:child_process').ChildProcess} server @returns {Promise<void>} */
function ready(server) {
  return new Promise((resolve, reject) => {
    let text = ''
    server.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      if (text.length < 65_536) text += chunk
      if (text.includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code} before it was ready:\n${text}`)))
  })
}

/** The programs: of `PGBIN` where it is set, of Debian's packages, or else the installed ones. @param {string} folder @returns {Programs} */
function bring(folder) {
  const given = process.env['PGBIN']
  if (given !== undefined) return found(given, 'of PGBIN')
  try {
    return found(unpacked(folder), "of Debian's packages", folder)
  } catch (error) {
    if (!existsSync(join(installed, 'postgres'))) throw error
    console.error(`${error instanceof Error ? error.message : error}`)
    return found(installed, 'that is installed here')
  }
}

/** @param {string} bin @param {string} from @param {string} [folder] of the unpacked packages @returns {Programs} */
function found(bin, from, folder) {
  const programs = { bin, environment: environmentOf(folder) }
  console.error(`the PostgreSQL ${from}: ${shell(join(bin, 'postgres'), ['--version'], programs.environment).trim()}`)
  return programs
}

/** @param {string} [folder] @returns {Record<string, string>} */
function environmentOf(folder) {
  const environment = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' }
  return folder === undefined ? environment : { ...environment, LD_LIBRARY_PATH: librariesOf(folder).join(':') }
}

/** Where the unpacked packages have their libraries. @param {string} folder */
function librariesOf(folder) {
  return ['usr/lib', 'lib'].flatMap((under) => {
    const libraries = join(folder, under)
    const triplets = existsSync(libraries) ? readdirSync(libraries).filter((name) => name.includes('-linux-')) : []
    return [...triplets.map((name) => join(libraries, name)), libraries]
  })
}

/** Unpacks the packages, and those they depend on where the system lacks a library; the folder of the programs. @param {string} folder */
function unpacked(folder) {
  mkdirSync(folder, { mode: 0o755 })
  const bin = join(folder, 'usr/lib/postgresql/15/bin')
  const had = new Set(packages)
  for (let wanted = packages; wanted.length > 0;) {
    const files = download(folder, wanted)
    for (const file of files) shell('dpkg-deb', ['-x', file, folder])
    const missing = missingOf(folder, bin)
    if (missing.length === 0) return bin
    const next = new Set(files.flatMap(dependencies).filter((name) => !had.has(name)))
    for (const name of next) had.add(name)
    wanted = [...next]
    if (next.size === 0) throw new Error(`PostgreSQL lacks ${missing.join(', ')}, which no package of its own has`)
    console.error(`PostgreSQL lacks ${missing.join(', ')}: unpacking ${wanted.join(', ')}`)
    for (const file of files) rmSync(file)
  }
  return bin
}

/** @param {string} folder @param {string[]} names @returns {string[]} the files */
function download(folder, names) {
  const fetchAll = () => shell('apt-get', ['-q', 'download', ...names], undefined, folder)
  try {
    fetchAll()
  } catch (error) {
    // What apt knows may be older than what the mirror still has.
    if (process.getuid?.() !== 0) throw error
    shell('apt-get', ['-q', 'update'])
    fetchAll()
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith('.deb'))
    .map((name) => join(folder, name))
}

/** The libraries that a package names. @param {string} file */
function dependencies(file) {
  return shell('dpkg-deb', ['-f', file, 'Depends'])
    .split(',')
    .map((one) => /^\s*([^\s(|:]+)/.exec(one)?.[1] ?? '')
    .filter((name) => name.startsWith('lib') && !left.test(name))
}

/** Shared libraries that a program asks for and the loader does not find. @param {string} folder @param {string} bin */
function missingOf(folder, bin) {
  const programs = ['postgres', 'initdb', 'psql', 'pgbench'].map((name) => join(bin, name))
  const listed = shell('ldd', programs, environmentOf(folder))
  return [...new Set([...listed.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? ''))]
}

/** @param {string} command @param {string[]} args @param {Record<string, string>} [environment] @param {string} [cwd] */
function shell(command, args, environment, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    ...(environment !== undefined && { env: environment }),
    ...(cwd !== undefined && { cwd }),
  })
  if (error !== undefined) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}
