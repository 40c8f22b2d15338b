// Backups: make, list, verify, resume, delete, restore.
import type { Command } from 'commander'
import { type Context, does, jsonText, part, whole } from '../context.js'
import { watch, type Work } from '../watch.js'

interface Where {
  target?: string
}

interface Pace {
  threads?: number
  recordsPerSecond?: number
}

interface RestoreOptions extends Pace, Where {
  engine?: string
  config?: string
  merge?: true
  confirm?: string
}

export function backupCommands(program: Command): void {
  does<Pace & Where & { base?: string }>(
    placed(
      program
        .command('backup')
        .summary('back a namespace up, and wait for the end')
        .argument('<namespace>')
        .option('--base <id>', 'the backup to build on (unset: a full one)'),
    ),
    (context, options, namespace = '') => run(context, `/api/v1/namespaces/${part(namespace)}/backups`, options),
  )
  does<RestoreOptions>(
    placed(
      program
        .command('restore')
        .summary('verify a backup, restore it, and wait for the end')
        .argument('<id>')
        .argument('<namespace>')
        .option('--engine <engine>', 'memory, device or paged (unset: as it was)')
        .option('--config <json>', 'how a new namespace is stored, as the API takes it')
        .option('--merge', 'write into a namespace that has records')
        .option('--confirm <namespace>', 'the namespace again (needed with --merge in production)'),
    ),
    (context, { engine, config, target, confirm, ...rest }, id = '', namespace = '') => {
      const more = JSON.parse(jsonText(config ?? '{}', '--config')) as { storage?: object }
      const storage = { ...(engine !== undefined && { engine }), ...more.storage }
      const stored = Object.keys(storage).length > 0 && { storage }
      const body = { namespace, ...more, ...stored, ...rest }
      return run(context, `/api/v1/backups/${part(id)}/restore${query(target)}`, body, { 'x-confirm': confirm })
    },
  )
  does<{ threads?: number } & Where>(
    targeted(
      program
        .command('verify')
        .summary('read a backup and all that it builds on, and name what is damaged')
        .argument('<id>')
        .option('--threads <number>', 'threads of the job', whole('--threads')),
    ),
    (context, { target, ...options }, id = '') =>
      run(context, `/api/v1/backups/${part(id)}/verify${query(target)}`, options),
  )
  const backups = program.command('backups').summary('list, resume and delete backups')
  does<Where>(targeted(backups.command('list').summary('list them, oldest first')), (context, { target }) =>
    context.list(`/api/v1/backups${query(target)}`, [
      ['ID', 'id'],
      ['NAMESPACE', 'namespace'],
      ['STATE', 'state'],
      ['BASE', 'base'],
      ['POINT', 'pointTo'],
      ['RECORDS', 'records'],
      ['BYTES', 'bytes'],
    ]),
  )
  does<Where>(
    targeted(backups.command('show').summary('show one').argument('<id>')),
    async (context, { target }, id = '') =>
      context.show(await context.client.call('GET', `/api/v1/backups/${part(id)}${query(target)}`)),
  )
  does<Pace & Where>(
    placed(backups.command('resume').summary('go on with one that was cut off, and wait for the end').argument('<id>')),
    (context, { target, ...options }, id = '') =>
      run(context, `/api/v1/backups/${part(id)}/resume${query(target)}`, options),
  )
  does<Where & { confirm?: string }>(
    targeted(
      backups
        .command('delete')
        .summary('delete one')
        .argument('<id>')
        .option('--confirm <id>', 'the id again, to say that it is meant (needed in production)'),
    ),
    async (context, { confirm, target }, id = '') => {
      const headers = { 'x-confirm': confirm }
      const path = `/api/v1/backups/${part(id)}${query(target)}`
      await context.show(await context.client.call('DELETE', path, { headers }))
    },
  )
}

const targeted = (command: Command): Command =>
  command.option('--target <name>', 'the bucket of the backups (unset: the directory of the server)')

const placed = (command: Command): Command => targeted(paced(command))

const query = (target: string | undefined): string => (target === undefined ? '' : `?target=${part(target)}`)

const paced = (command: Command): Command =>
  command
    .option('--threads <number>', 'threads of the job', whole('--threads'))
    .option('--records-per-second <number>', 'throttle', whole('--records-per-second'))

async function run(
  context: Context,
  path: string,
  body: object,
  headers: Record<string, string | undefined> = {},
): Promise<void> {
  const job = await context.client.call<Work>('POST', path, { body, headers })
  await watch(context, `/api/v1/jobs/${part(job.id)}`)
}
