// Users, API tokens and sessions.
import type { Command } from 'commander'
import { does, part } from '../context.js'
import { inputFailure } from '../failure.js'
import { tell, write } from '../output.js'
import { newPassword } from '../password.js'

interface Grant {
  role: string
  namespace?: string
  setPrefix?: string
}

/** `reader`, `writer@shop` or `reader@shop/eu-`. */
export function grantOf(text: string, before: Grant[] = []): Grant[] {
  const [, role, namespace, setPrefix] = /^([a-z]+)(?:@([^/]+)(?:\/(.+))?)?$/.exec(text) ?? []
  if (role === undefined)
    throw inputFailure(`a grant must be such as reader, writer@shop or reader@shop/eu-, got ${JSON.stringify(text)}`)
  return [
    ...before,
    { role, ...(namespace !== undefined && { namespace }), ...(setPrefix !== undefined && { setPrefix }) },
  ]
}

const GRANT = [
  '--grant <grant>',
  'reader, writer, operator or admin; @namespace, @namespace/prefix (repeat it)',
] as const

export function accessCommands(program: Command): void {
  userCommands(program)
  tokenCommands(program)
  const session = program.command('session').summary('list and end sessions of browsers')
  does(session.command('list').summary('list them'), (context) =>
    context.list('/api/v1/sessions', [
      ['ID', 'id'],
      ['USER', 'user'],
      ['ADDRESS', 'address'],
      ['LAST USED', 'lastUsedAt'],
      ['EXPIRES', 'expiresAt'],
    ]),
  )
  does(session.command('end').summary('end one').argument('<id>'), async (context, _, id = '') =>
    context.show(await context.client.call('DELETE', `/api/v1/sessions/${part(id)}`)),
  )
}

function userCommands(program: Command): void {
  const user = program.command('user').summary('manage users; passwords are read from the terminal or standard input')
  const change = (command: Command, bodyOf: (options: { grant: Grant[] }) => object | Promise<object>): Command =>
    does<{ grant: Grant[] }>(command.argument('<name>'), async (context, options, name = '') =>
      context.show(await context.client.call('PATCH', `/api/v1/users/${part(name)}`, { body: await bodyOf(options) })),
    )
  does(user.command('list').summary('list them'), (context) =>
    context.list('/api/v1/users', [
      ['NAME', 'name'],
      ['GRANTS', 'grants'],
      ['DISABLED', 'disabled'],
      ['LAST SIGN-IN', 'lastSignInAt'],
      ['SECOND FACTOR', 'secondFactorSince'],
    ]),
  )
  does<{ grant: Grant[] }>(
    user
      .command('create')
      .summary('make one')
      .argument('<name>')
      .requiredOption(...GRANT, grantOf),
    async (context, { grant }, name = '') => {
      const body = { name, grants: grant, password: await newPassword() }
      await context.show(await context.client.call('POST', '/api/v1/users', { body }))
    },
  )
  change(
    user
      .command('grant')
      .summary('give other grants')
      .requiredOption(...GRANT, grantOf),
    ({ grant }) => ({
      grants: grant,
    }),
  )
  change(user.command('password').summary('set another password'), async () => ({ password: await newPassword() }))
  change(user.command('disable').summary('sign them out, and let them in no more'), () => ({ disabled: true }))
  change(user.command('enable').summary('let them in again'), () => ({ disabled: false }))
  does(
    user
      .command('remove-second-factor')
      .summary('let one who has lost app and recovery codes in with the password alone')
      .argument('<name>'),
    async (context, _, name = '') =>
      context.show(await context.client.call('DELETE', `/api/v1/users/${part(name)}/second-factor`)),
  )
  does(user.command('remove').summary('remove one').argument('<name>'), async (context, _, name = '') =>
    context.show(await context.client.call('DELETE', `/api/v1/users/${part(name)}`)),
  )
}

function tokenCommands(program: Command): void {
  const token = program.command('token').summary('make, list and revoke API tokens')
  does(token.command('list').summary('list them'), (context) =>
    context.list('/api/v1/tokens', [
      ['ID', 'id'],
      ['NAME', 'name'],
      ['GRANTS', 'grants'],
      ['BEGINS', 'prefix'],
      ['EXPIRES', 'expiresAt'],
      ['LAST USED', 'lastUsedAt'],
    ]),
  )
  does<{ grant: Grant[]; expires?: string }>(
    token
      .command('create')
      .summary('make one; it is printed once, alone, so that it can go into a file')
      .argument('<name>')
      .requiredOption(...GRANT, grantOf)
      .option('--expires <time>', 'such as 2027-01-31T00:00:00Z (unset: never)'),
    async (context, { grant, expires }, name = '') => {
      const body = { name, grants: grant, ...(expires !== undefined && { expiresAt: expires }) }
      const made = await context.client.call<{ id: string; token: string }>('POST', '/api/v1/tokens', { body })
      if (context.json) return context.show(made)
      tell(`token ${made.id} was made; it is shown this once`)
      await write(`${made.token}\n`)
    },
  )
  does(token.command('revoke').summary('revoke one').argument('<id>'), async (context, _, id = '') =>
    context.show(await context.client.call('DELETE', `/api/v1/tokens/${part(id)}`)),
  )
}
