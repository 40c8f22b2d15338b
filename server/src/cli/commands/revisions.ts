// Revisions of the settings of the server, or of a namespace: list, show, compare, roll back.
import type { Command } from 'commander'
import { type Context, does, part } from '../context.js'
import { inputFailure } from '../failure.js'

interface Where {
  namespace?: string
}

/** What a roll back changes, or would change. */
interface Planned {
  changes?: object[]
}

export function revisionCommands(program: Command): void {
  const revisions = program
    .command('revisions')
    .summary('who changed which settings of the server or of a namespace, and how to go back')
  does<Where>(placed(revisions.command('list').summary('list them, newest first')), (context, where) =>
    context.list(pathOf(where), [
      ['NUMBER', 'number'],
      ['AT', 'at'],
      ['WHO', 'who'],
      ['CAUSE', 'cause'],
      ['REASON', 'reason'],
    ]),
  )
  does<Where>(
    placed(revisions.command('show').summary('show all settings of one').argument('<number>')),
    async (context, where, number = '') =>
      context.show(await context.client.call('GET', `${pathOf(where)}/${numbered(number)}`)),
  )
  does<Where>(
    placed(revisions.command('diff').summary('show what a roll back to it would change').argument('<number>')),
    (context, where, number = '') => restore(context, `${pathOf(where)}/${numbered(number)}/restore?dryRun=true`, {}),
  )
  does<Where & { reason?: string }>(
    placed(
      revisions
        .command('restore')
        .summary('roll back to it, which makes a new revision')
        .argument('<number>')
        .option('--reason <text>', 'why, for those who look at it later'),
    ),
    (context, { reason, ...where }, number = '') =>
      restore(context, `${pathOf(where)}/${numbered(number)}/restore`, { reason }),
  )
}

const placed = (command: Command): Command =>
  command.option('--namespace <name>', 'the namespace (unset: the settings of the server)')

const pathOf = ({ namespace }: Where): string =>
  namespace === undefined ? '/api/v1/config/revisions' : `/api/v1/namespaces/${part(namespace)}/config/revisions`

function numbered(text: string): string {
  if (/^[1-9]\d{0,14}$/.test(text)) return text
  throw inputFailure(`the number of a revision must be an integer of 1 or more, got ${JSON.stringify(text)}`)
}

async function restore(context: Context, path: string, body: { reason?: string | undefined }): Promise<void> {
  const { changes = [] } = await context.client.call<Planned>('POST', path, { body })
  await context.rows(changes, [
    ['SETTING', 'field'],
    ['FROM', 'from'],
    ['TO', 'to'],
    ['APPLIES', 'applies'],
  ])
}
