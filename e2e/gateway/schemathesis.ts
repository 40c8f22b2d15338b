import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Gateway } from './gateway.ts'

const folder = fileURLToPath(new URL('../schemathesis', import.meta.url))
const wanted = join(folder, 'requirements.txt')
const artifacts = fileURLToPath(new URL('../.artifacts', import.meta.url))
const home = join(
  artifacts,
  `schemathesis-${createHash('sha256').update(readFileSync(wanted)).digest('hex').slice(0, 12)}`,
)

/** Whether there is a Python that can be given packages. Tessera itself needs none. */
export async function hasPython(): Promise<boolean> {
  const { code } = await run('python3', ['-c', 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 10))'])
  return code === 0
}

/** Installs what `requirements.txt` names, once. */
async function install(): Promise<string> {
  const program = join(home, 'bin/schemathesis')
  if (existsSync(program)) return program
  rmSync(home, { recursive: true, force: true })
  mkdirSync(artifacts, { recursive: true })
  await must('python3', ['-m', 'venv', home])
  await must(join(home, 'bin/python'), ['-m', 'pip', 'install', '--quiet', '--requirement', wanted])
  return program
}

/** What one run of schemathesis found. */
export interface Findings {
  /** requests that were made from the document */
  cases: number
  /** failures and errors, a line each */
  found: string[]
  /** what it printed */
  text: string
}

/** The part of its report that counts. */
interface Report {
  complete: boolean
  test_cases: { generated: number }
  failures: { title: string; operations: string[] }[]
  errors: unknown[]
}

/** Tries the API of a gateway by its document. `examples`: most requests to each operation for each way to make them. */
export async function trySchema({ url, token, home }: Gateway, examples: number, flags: string[]): Promise<Findings> {
  const program = await install()
  const file = join(home, 'schemathesis.json')
  const args = [
    '--config-file',
    join(folder, 'schemathesis.toml'),
    'run',
    `${url}/api/v1/openapi.json`,
    '--header',
    `Authorization: Bearer ${token}`,
    '--no-color',
    '--max-examples',
    String(examples),
    '--workers',
    '2',
    '--continue-on-failure',
    '--generation-database',
    'none',
    '--report',
    'json',
    '--report-json-path',
    file,
    ...flags,
  ]
  const { text } = await run(program, args, {
    cwd: home,
    env: { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
  })
  if (!existsSync(file)) throw new Error(`schemathesis wrote no report:\n${text}`)
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report
  const found = [
    ...report.failures.map(({ title, operations }) => `${title}: ${JSON.stringify(operations)}`),
    ...report.errors.map((error) => JSON.stringify(error)),
    ...(report.complete ? [] : ['it did not come to its end']),
  ]
  return { cases: report.test_cases.generated, found, text }
}

async function must(program: string, args: string[]): Promise<void> {
  const { code, text } = await run(program, args)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${text}`)
}

function run(
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
