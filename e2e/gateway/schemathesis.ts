import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import type { Gateway } from './gateway.ts'
import { install, run } from './python.ts'

const folder = fileURLToPath(new URL('../schemathesis', import.meta.url))

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
  const program = join(await install('schemathesis', join(folder, 'requirements.txt')), 'schemathesis')
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
