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
  does<{ confirm?: string; dryRun?: true; forGood?: true }>(
    destructive(namespaces.command('drop').summary('drop one, with all its records').argument('<namespace>')).option(
      '--for-good',
      'free its memory and disks at once; it cannot be restored',
    ),
    (context, options, name = '') => remove(context, `/api/v1/namespaces/${part(name)}`, options),
  )
  droppedCommands(program)

  const sets = program.command('sets').summary('list and empty sets')
  does(sets.command('list').summary('list them').argument('<namespace>'), (context, _, name = '') =>
    context.list(`/api/v1/namespaces/${part(name)}/sets`, [
      ['NAME', 'name'],
      ['RECORDS', 'records'],
      ['BYTES', 'bytes'],
    ]),
  )
  does<{ confirm?: string; dryRun?: true; forGood?: true }>(
    destructive(
      sets.command('truncate').summary('delete all records of a set').argument('<namespace>').argument('<set>'),
    ).option('--for-good', 'free their space at once; it cannot be undone'),
    (context, options, namespace = '', set = '') =>
      remove(context, `/api/v1/namespaces/${part(namespace)}/sets/${part(set)}`, options),
  )
  truncationCommands(program)
  indexCommands(program)
}

function droppedCommands(program: Command): void {
  const dropped = program.command('dropped').summary('list and restore dropped namespaces')
  does(dropped.command('list').summary('list those that can be restored'), (context) =>
    context.list('/api/v1/dropped', [
      ['ID', 'id'],
      ['NAME', 'name'],
      ['ENGINE', 'config.storage.engine'],
      ['RECORDS', 'records'],
      ['UNTIL', 'until'],
    ]),
  )
  does<{ name?: string }>(
    dropped
      .command('restore')
      .summary('take a drop back')
      .argument('<id>')
      .option('--name <name>', 'another name, if its own is taken'),
    async (context, { name }, id = '') => {
      const body = name === undefined ? {} : { name }
      await context.show(await context.client.call('POST', `/api/v1/dropped/${part(id)}/restore`, { body }))
    },
  )
  does<{ confirm?: string; dryRun?: true }>(
    dropped
      .command('delete')
      .summary('delete one for good before its time is up')
      .argument('<id>')
      .option('--confirm <name>', 'the name of the namespace, to say that it is meant')
      .option('--dry-run', 'only show what would go'),
    (context, options, id = '') => remove(context, `/api/v1/dropped/${part(id)}`, options),
  )
}

function truncationCommands(program: Command): void {
  const truncations = program.command('truncations').summary('list and undo truncations')
  const path = (namespace: string, id: string) => `/api/v1/namespaces/${part(namespace)}/truncations/${part(id)}`
  does(
    truncations.command('list').summary('list those that can be undone').argument('<namespace>'),
    (context, _, name = '') =>
      context.list(`/api/v1/namespaces/${part(name)}/truncations`, [
        ['ID', 'id'],
        ['SET', 'set'],
        ['RECORDS', 'records'],
        ['BYTES', 'bytes'],
        ['UNTIL', 'until'],
      ]),
  )
  does(
    truncations.command('undo').summary('bring the records back').argument('<namespace>').argument('<id>'),
    async (context, _, namespace = '', id = '') =>
      context.show(await context.client.call('POST', `${path(namespace, id)}/undo`)),
  )
  does<{ confirm?: string }>(
    truncations
      .command('settle')
      .summary('remove the records before the time is up')
      .argument('<namespace>')
      .argument('<id>')
      .option('--confirm <name>', 'the name of the set, or of the namespace, to say that it is meant'),
    (context, options, namespace = '', id = '') => remove(context, path(namespace, id), options),
  )
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

interface RemoveOptions {
  confirm?: string
  dryRun?: true
  forGood?: true
}

async function remove(context: Context, path: string, { confirm, dryRun, forGood }: RemoveOptions): Promise<void> {
  const headers = { 'x-confirm': confirm }
  await context.show(await context.client.call('DELETE', path + search({ dryRun, forGood }), { headers }))
}
