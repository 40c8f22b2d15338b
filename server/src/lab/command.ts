// `npm run lab`: an experiment on a gateway of its own in a temporary directory. One JSON object on standard output, progress on
// standard error.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildApp } from '../app.js'
import { Access } from '../auth/access.js'
import { loadToken } from '../auth/admin-token.js'
import { readConfig } from '../config.js'
import { openNativeEngine } from '../engines/native.js'
import type { LabReport, LabRow, Scale } from '../schemas/jobs/lab.js'
import { english } from '../sentences/sentence.js'
import { callerOf } from './caller.js'
import type { Experiment } from './experiment.js'
import { experiments } from './experiments.js'
import { reportOf } from './report.js'

const USAGE = `usage: npm run --silent lab -- list
       npm run --silent lab -- <experiment> [--scale smoke|quick|full] [--json] [--data DIR]

  --scale smoke|quick|full  quick (the default) takes about 45 s, full 3 to 15 minutes; smoke only shows that it runs
  --json                    print one JSON object
  --data DIR                parent of the temporary data directory (default: the system's)`

function print(to: NodeJS.WriteStream, line: string): void {
  to.write(`${line}\n`)
}

/** Exit status: 0 even if a claim does not hold; 1 if the experiment could not run; 2 for bad arguments. */
export async function command(args: string[]): Promise<number> {
  let parsed
  try {
    const options = {
      scale: { type: 'string', default: 'quick' },
      json: { type: 'boolean', default: false },
      data: { type: 'string', default: tmpdir() },
      help: { type: 'boolean', default: false },
    } as const
    parsed = parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    return refuse((error as Error).message)
  }
  const { values, positionals } = parsed
  const [wanted, ...others] = positionals
  if (values.help) {
    print(process.stdout, USAGE)
    return 0
  }
  if (wanted === undefined || others.length > 0) return refuse('give the name of one experiment, or list')
  if (wanted === 'list') {
    const listed = experiments.map(({ id, title, repeats }) => ({ id, title, repeats }))
    print(
      process.stdout,
      values.json ? JSON.stringify(listed) : listed.map(({ id, repeats }) => `${id}\t${repeats}`).join('\n'),
    )
    return 0
  }
  const experiment = experiments.find(({ id }) => id === wanted)
  if (experiment === undefined) return refuse(`there is no experiment '${wanted}'; list shows all of them`)
  if (!isScale(values.scale)) return refuse(`--scale must be smoke, quick or full, got '${values.scale}'`)
  const report = await onItsOwn(experiment, values.scale, values.data)
  print(process.stdout, values.json ? JSON.stringify(report) : tables(report))
  return 0
}

const isScale = (word: string): word is Scale => ['smoke', 'quick', 'full'].includes(word)

function refuse(message: string): number {
  print(process.stderr, `lab: ${message}\n${USAGE}`)
  return 2
}

/** Starts a gateway in a directory that is removed at the end, even if the command is interrupted. */
async function onItsOwn(experiment: Experiment, scale: Scale, parent: string): Promise<LabReport> {
  const directory = await mkdtemp(join(parent, 'tessera-lab-'))
  const stop = new AbortController()
  const interrupt = (): void => stop.abort(new Error('interrupted'))
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  try {
    const config = readConfig(['--data', directory, '--port', '0'], { TESSERA_LOG_LEVEL: 'error' })
    const access = new Access(await loadToken(directory))
    const app = await buildApp({ config, engine: await openNativeEngine(config), access })
    try {
      return await reportOf(experiment, {
        api: callerOf(app),
        scale,
        prefix: 'lab',
        signal: stop.signal,
        progress: (says) => print(process.stderr, english(says)),
      })
    } finally {
      await app.close()
    }
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
    await rm(directory, { recursive: true, force: true })
  }
}

function tables({ rows, claims, notes = [] }: LabReport): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const cells = [columns, ...rows.map((row) => columns.map((column) => text(row[column])))]
  const widths = columns.map((_, at) => Math.max(...cells.map((line) => (line[at] ?? '').length)))
  const table = cells.map((line) => line.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('  '))
  const verdicts = claims.map(
    ({ says, value, unit, bound, holds }) => `${holds ? '✔' : '✘'} ${says}: ${value} ${unit} (bound ${bound})`,
  )
  return [...table, '', ...verdicts, ...notes.map((note) => `! ${note}`)].join('\n')
}

const text = (cell: LabRow[string] | undefined): string => (cell === undefined ? '' : String(cell))
