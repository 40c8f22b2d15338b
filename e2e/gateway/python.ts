import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const artifacts = fileURLToPath(new URL('../.artifacts', import.meta.url))

/** Whether there is a Python that can be given packages. Tessera itself needs none. */
export async function hasPython(): Promise<boolean> {
  const { code } = await run('python3', ['-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'])
  return code === 0
}

/** Installs what a file of requirements names, once. Resolves with the folder of the programs. */
export async function install(name: string, wanted: string): Promise<string> {
  const print = createHash('sha256').update(readFileSync(wanted)).digest('hex').slice(0, 12)
  const home = join(artifacts, `${name}-${print}`)
  const programs = join(home, 'bin')
  const stamp = join(home, 'installed')
  if (existsSync(stamp)) return programs
  rmSync(home, { recursive: true, force: true })
  mkdirSync(artifacts, { recursive: true })
  await must('python3', ['-m', 'venv', home])
  await must(join(programs, 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', wanted])
  writeFileSync(stamp, '')
  return programs
}

async function must(program: string, args: string[]): Promise<void> {
  const { code, text } = await run(program, args)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${text}`)
}

export function run(
  program: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ code: number | null; text: string }> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const collect = (chunk: Buffer): void => void (text += chunk.toString())
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', (error) => resolve({ code: null, text: String(error) }))
    child.once('close', (code) => resolve({ code, text }))
  })
}
