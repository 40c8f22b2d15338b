// The server itself: its state, its settings, its audit log.
import type { Command } from 'commander'
import { command as verifyOffline } from '../../audit/command.js'
import { effectiveSettings, settingsHelp } from '../../config.js'
import { configText } from '../../config/report.js'
import { NDJSON } from '../answer.js'
import { does, search } from '../context.js'
import { CliFailure, exits, inputFailure } from '../failure.js'
import { write, writeJson } from '../output.js'

interface Status {
  healthy: boolean
  health?: string
  reasons?: string[]
}

interface Verified {
  ok: boolean
  fault?: { message: string }
}

export function serverCommands(program: Command): void {
  // `runCommand` sees it if it is the first word.
  ofServer(program.command('start').summary('start a server here; all its flags are taken')).action(() => {
    throw inputFailure('options of "start" come after it: tessera start --data data')
  })
  const config = ofServer(program.command('config').summary('print the settings that a start would have'))
  config.action(async () => {
    const { json, ...flags } = config.optsWithGlobals<Record<string, string | boolean | undefined>>()
    const args = Object.entries(flags).flatMap(([name, value]) => serverFlag(name, value))
    const settings = effectiveSettings(args, process.env)
    const items = settings.map(({ key, value, from, fallback, live }) => ({ key, value, from, fallback, live }))
    await (json === true ? writeJson({ items }) : write(`${configText(settings)}\n`))
  })
  does(
    program.command('status').summary('print the state of the server; fails if it is not healthy'),
    async (context) => {
      const status = await context.client.call<Status>('GET', '/api/v1/status')
      await context.show(status)
      if (!status.healthy) throw new CliFailure('unhealthy', status.health ?? status.reasons?.[0] ?? 'see the notices')
    },
  )
  does(
    program.command('health').summary('check that the server answers, for probes; needs no credentials'),
    async (context) => context.show(await context.client.call<{ status: string }>('GET', '/healthz')),
  )
  does(
    program.command('diagnostics').summary('print what somebody who looks into a fault has to know, without data'),
    async (context) =>
      context.pass(await context.client.open('GET', '/api/v1/diagnostics', { headers: { accept: '*/*' } }), NDJSON),
  )
  const audit = program.command('audit').summary('verify and print the audit log')
  const verify = audit
    .command('verify')
    .summary('verify that nobody has altered it')
    .option('--head <hash>', 'a hash that was kept elsewhere: an entry must have it')
    .option('--offline', 'read the data directory of --data, with or without its server')
  does<{ head?: string; offline?: true }>(verify, async (context, { head, offline }) => {
    if (offline === true) {
      const { data = './data' } = verify.optsWithGlobals<{ data?: string }>()
      const lines: string[] = []
      const args = ['--data', data, ...(head === undefined ? [] : ['--head', head])]
      const exit = await verifyOffline(args, (line) => void lines.push(line))
      if (exit === 2) throw new CliFailure('input_invalid', '--head must be 64 hexadecimal digits', exits.usage)
      if (exit !== 0) throw new CliFailure('audit_damaged', lines.join('\n'))
      return write(`${lines.join('\n')}\n`)
    }
    const report = await context.client.call<Verified>('GET', `/api/v1/audit/verify${search({ head })}`)
    await context.show(report)
    if (!report.ok) throw new CliFailure('audit_damaged', report.fault?.message ?? 'the audit log is damaged')
  })
  does(audit.command('export').summary('print all its entries, one JSON object per line'), async (context) =>
    context.pass(await context.client.open('GET', '/api/v1/audit/export', { headers: { accept: '*/*' } }), NDJSON),
  )
}

/** With the flags of a server. `--data` is one of all commands. */
function ofServer(command: Command): Command {
  for (const { names, help } of settingsHelp()) {
    const flag = /^--([a-z-]+), /.exec(names)?.[1]
    if (flag === undefined || flag === 'data') continue
    command.option(flag === 'no-auth' ? `--${flag}` : `--${flag} <value>`, help)
  }
  return command.option('--config <file>', 'file with settings')
}

/** From what commander makes of a flag: `--no-auth` is `auth: false` there. */
function serverFlag(name: string, value: string | boolean | undefined): string[] {
  if (name === 'auth') return value === false ? ['--no-auth'] : []
  return typeof value === 'string' && ['port', 'host', 'data', 'config'].includes(name) ? [`--${name}`, value] : []
}
