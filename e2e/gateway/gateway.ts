import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../../server/dist/server.js', import.meta.url))

// A gateway refuses a setting that it does not know: what sets the rounds of tests is not for it.
const isSetting = (name: string): boolean => name.startsWith('TESSERA_') && name !== 'TESSERA_IO'
export const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)))

/** Goals wait for a busy machine. What a gateway refuses then is tested beside its sources. */
const patient = { TESSERA_OVERLOAD_DELAY: '10s' }

/** A real gateway in a process of its own, on a free port, with a data directory of its own. */
export interface Gateway {
  readonly url: string
  readonly token: string
  /** The address that logs a browser in, as printed at start. */
  readonly loginLink: string
  /** The parent of the data directory: where the docs' commands are run, so that `data/admin.token` is found. */
  readonly home: string
  readonly pid: number
  output(): string
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export function newHome(): string {
  return mkdtempSync(join(tmpdir(), 'tessera-e2e-'))
}

export function removeHome(home: string): void {
  rmSync(home, { recursive: true, force: true })
}

/** Starts a gateway and resolves when no namespace is recovering any more. `mounts`: see `listeningGateway`. */
export async function startGateway(
  home: string,
  flags: string[] = [],
  settings = {},
  mounts?: Mounts,
): Promise<Gateway> {
  const gateway = await listeningGateway(home, flags, settings, mounts)
  while (await isStarting(gateway)) await setTimeout(20)
  return gateway
}

async function isStarting({ url }: Gateway): Promise<boolean> {
  const { state } = (await (await fetch(`${url}/readyz`)).json()) as { state: string }
  return state === 'starting'
}

/** A script in a mount namespace of its own, or what enters one that there is. */
type Mounts = string | readonly string[]

/** Starts a gateway, and resolves when it has printed its login link. */
export async function listeningGateway(
  home: string,
  flags: string[] = [],
  settings: Record<string, string> = {},
  mounts: Mounts = [],
): Promise<Gateway> {
  const gateway = [process.execPath, entry, '--port', '0', '--data', join(home, 'data'), ...flags]
  // What a script mounts is there for this process alone.
  const wrapped = typeof mounts === 'string' ? ['unshare', '-rm', 'sh', '-c', `${mounts} && exec "$0" "$@"`] : mounts
  const [program = '', ...args] = [...wrapped, ...gateway]
  const child = spawn(program, args, {
    cwd: home,
    env: { ...environment, ...patient, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const loginLink = await new Promise<string>((resolve, reject) => {
    const collect = (chunk: Buffer): void => {
      text += chunk.toString()
      const link = /http:\/\/\S+[?#/]\S*(?:token|login)\S*/.exec(text)?.[0]
      if (link !== undefined) resolve(link)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code} before it listened:\n${text}`)))
  })
  return {
    url: new URL(loginLink).origin,
    token: readFileSync(join(home, 'data', 'admin.token'), 'utf8').trim(),
    loginLink,
    home,
    pid: child.pid ?? -1,
    output: () => text,
    stop: (signal = 'SIGTERM') => end(child, signal),
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
  return child.exitCode
}
