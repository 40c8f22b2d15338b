// Namespaces, their sets and their indexes.
import type { Command } from 'commander'
import { type Context, does, jsonText, part, search, whole } from '../context.js'

const CONFIRM = 'the name again, to say that it is meant (needed in production)'

export function namespaceCommands(program: Command): void {
  const namespaces = program.command('namespaces').alias('ns').summary('list, create and drop namespaces')
  does(namespaces.command('list').summary('list them'), (context) =>
    context.list('/api/v1/namespaces', [
      ['NAME', 'name'],
      ['ENGINE', 'config.storage.engine'],
      ['STATE', 'state'],
      ['RECORDS', 'records'],
      ['SETS', 'sets'],
    ]),
  )
  does(namespaces.command('show').summary('show one').argument('<namespace>'), async (context, _, name = '') =>
    context.show(await context.client.call('GET', `/api/v1/namespaces/${part(name)}`)),
  )
  does<{ engine: string; config?: string }>(
    namespaces
      .command('create')
      .summary('create one')
      .argument('<namespace>')
      .option('--engine <engine>', 'memory, device, paged or cassandra', 'memory')
      .option('--config <json>', 'more of its configuration, as the API takes it'),
    async (context, { engine, config }, name = '') => {
      const more = JSON.parse(jsonText(config ?? '{}', '--config')) as { storage?: object }
      const body = { name, ...more, storage: { engine, ...more.storage } }
      await context.show(await context.client.call('POST', '/api/v1/namespaces', { body }))
    },
  )
  does<{ confirm?: string; dryRun?: true }>(
    destructive(namespaces.command('drop').summary('drop one, with all its records').argument('<namespace>')),
    (context, options, name = '') => remove(context, `/api/v1/namespaces/${part(name)}`, options),
  )

  const sets = program.command('sets').summary('list and empty sets')
  does(sets.command('list').summary('list them').argument('<namespace>'), (context, _, name = '') =>
    context.list(`/api/v1/namespaces/${part(name)}/sets`, [
      ['NAME', 'name'],
      ['RECORDS', 'records'],
      ['BYTES', 'bytes'],
    ]),
  )
  does<{ confirm?: string; dryRun?: true }>(
    destructive(
      sets.command('truncate').summary('delete all records of a set').argument('<namespace>').argument('<set>'),
    ),
    (context, options, namespace = '', set = '') =>
      remove(context, `/api/v1/namespaces/${part(namespace)}/sets/${part(set)}`, options),
  )
  indexCommands(program)
}

interface IndexOptions {
  set: string
  bin: string
  kind: string
  path?: string
  threads?: number
}

function indexCommands(program: Command): void {
  const index = program.command('index').summary('list, build and drop indexes')
  does(index.command('list').summary('list them').argument('<namespace>'), (context, _, name = '') =>
    context.list(`/api/v1/namespaces/${part(name)}/indexes`, [
      ['NAME', 'name'],
      ['SET', 'set'],
      ['BIN', 'bin'],
      ['KIND', 'kind'],
      ['STATE', 'state'],
      ['ENTRIES', 'entries'],
      ['BYTES', 'bytes'],
    ]),
  )
  does<IndexOptions>(
    index
      .command('create')
      .summary('build one; prints the job')
      .argument('<namespace>')
      .argument('<name>')
      .requiredOption('--set <name>', 'set of the records')
      .requiredOption('--bin <name>', 'bin to index')
      .requiredOption('--kind <kind>', 'document or range')
      .option('--path <path>', 'place in the JSON of the bin')
      .option('--threads <number>', 'threads of the job', whole('--threads')),
    async (context, options, namespace = '', name = '') => {
      const body = { name, ...options }
      await context.show(await context.client.call('POST', `/api/v1/namespaces/${part(namespace)}/indexes`, { body }))
    },
  )
  does<{ confirm?: string; dryRun?: true }>(
    destructive(index.command('drop').summary('drop one').argument('<namespace>').argument('<name>')),
    (context, options, namespace = '', name = '') =>
      remove(context, `/api/v1/namespaces/${part(namespace)}/indexes/${part(name)}`, options),
  )
}

const destructive = (command: Command): Command =>
  command.option('--confirm <name>', CONFIRM).option('--dry-run', 'only show what would go')

async function remove(context: Context, path: string, options: { confirm?: string; dryRun?: true }): Promise<void> {
  const headers = { 'x-confirm': options.confirm }
  await context.show(await context.client.call('DELETE', path + search({ dryRun: options.dryRun }), { headers }))
}
