// Work of the server that takes its time: jobs, runs of the load generator, experiments.
import type { Command } from 'commander'
import { does, part, search, whole } from '../context.js'
import { watch, type Work } from '../watch.js'

export function jobCommands(program: Command): void {
  const jobs = program.command('jobs').summary('list, watch and abort jobs')
  does<{ limit: number; namespace?: string; kind?: string; state?: string }>(
    jobs
      .command('list')
      .summary('list them, newest first')
      .option('--namespace <name>', 'only of this namespace')
      .option('--kind <kind>', 'only of this kind, such as import')
      .option('--state <state>', 'only in this state, such as running')
      .option('--limit <number>', 'at most so many', whole('--limit'), 20),
    (context, { limit, ...only }) =>
      context.list(
        `/api/v1/jobs${search({ ...only, limit: Math.min(Math.max(1, limit), 100) })}`,
        [
          ['ID', 'id'],
          ['KIND', 'kind'],
          ['NAMESPACE', 'namespace'],
          ['STATE', 'state'],
          ['DONE', 'done'],
          ['TOTAL', 'total'],
          ['CREATED', 'createdAt'],
        ],
        limit,
      ),
  )
  does(jobs.command('show').summary('show one').argument('<id>'), async (context, _, id = '') =>
    context.show(await context.client.call('GET', `/api/v1/jobs/${part(id)}`)),
  )
  does(
    jobs.command('watch').summary('wait for the end of one; fails if it does').argument('<id>'),
    (context, _, id = '') => watch(context, `/api/v1/jobs/${part(id)}`),
  )
  does(jobs.command('abort').summary('abort one').argument('<id>'), async (context, _, id = '') =>
    context.show(await context.client.call('DELETE', `/api/v1/jobs/${part(id)}`)),
  )
  benchCommand(program)
  labCommands(program)
}

interface BenchOptions {
  set?: string
  workload?: string
  object?: string
  keys?: number
  threads?: number
  targetTps?: number
  duration?: number
  operations?: number
  fill?: true
  confirm?: string
}

function benchCommand(program: Command): void {
  does<BenchOptions>(
    program
      .command('bench')
      .summary('run the load generator of the server, and print its figures')
      .argument('<namespace>')
      .option('--set <name>', 'set to use')
      .option('--workload <workload>', 'such as RU,95 (the default), I or YCSB,A')
      .option('--object <object>', 'what a record has, such as B:1000')
      .option('--keys <number>', 'keys to use', whole('--keys'))
      .option('--threads <number>', 'threads of the server', whole('--threads'))
      .option('--target-tps <number>', 'operations per second (unset: as fast as possible)', whole('--target-tps'))
      .option('--duration <seconds>', 'how long it runs', whole('--duration'))
      .option('--operations <number>', 'ends after so many', whole('--operations'))
      .option('--fill', 'write all keys first')
      .option('--confirm <namespace>', 'the namespace again (needed in production)'),
    async (context, { duration, confirm, ...rest }, namespace = '') => {
      const body = { namespace, ...rest, ...(duration !== undefined && { durationSeconds: duration }) }
      const headers = { 'x-confirm': confirm }
      const run = await context.client.call<Work>('POST', '/api/v1/workloads', { body, headers })
      await watch(context, `/api/v1/workloads/${part(run.id)}`)
    },
  )
}

function labCommands(program: Command): void {
  const lab = program.command('lab').summary('repeat published measurements on the server')
  does(lab.command('list').summary('list the experiments'), async (context) => {
    const { experiments } = await context.client.call<{ experiments: object[] }>('GET', '/api/v1/lab')
    await context.rows(experiments, [
      ['ID', 'id'],
      ['TITLE', 'title'],
    ])
  })
  does<{ scale: string }>(
    lab
      .command('run')
      .summary('run one, and print its report')
      .argument('<experiment>')
      .option('--scale <scale>', 'smoke, quick or full', 'quick'),
    async (context, { scale }, experiment = '') => {
      const run = await context.client.call<Work>('POST', '/api/v1/lab', { body: { experiment, scale } })
      await watch(context, `/api/v1/lab/runs/${part(run.id)}`)
    },
  )
  does(lab.command('runs').summary('list the runs'), (context) =>
    context.list('/api/v1/lab/runs', [
      ['ID', 'id'],
      ['EXPERIMENT', 'experiment'],
      ['SCALE', 'scale'],
      ['STATE', 'state'],
      ['STARTED', 'startedAt'],
    ]),
  )
}
