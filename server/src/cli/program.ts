// All commands. Help, completion and the manual page are made from this one tree.
import { Command } from 'commander'
import { accessCommands } from './commands/access.js'
import { backupCommands } from './commands/backups.js'

import { jobCommands } from './commands/jobs.js'
import { namespaceCommands } from './commands/namespaces.js'
import { recordCommands } from './commands/records.js'
import { revisionCommands } from './commands/revisions.js'
import { serverCommands } from './commands/server.js'
import { type Shell, scriptFor, shells } from './completion.js'
import { inputFailure } from './failure.js'
import { manualOf } from './manual.js'
import { write } from './output.js'

/** @param version that of the manual page */
export function programOf(version: string): Command {
  const program = new Command('tessera')
    .summary('the command line of Tessera')
    .description('Start a Tessera server, and use it through its REST API.')
    .option('--url <url>', 'address of the server (TESSERA_URL; http://127.0.0.1:7373)')
    .option('--socket <path>', 'Unix socket of the server, in place of its address')
    .option('--token-file <file>', 'file with the token (TESSERA_TOKEN, TESSERA_TOKEN_FILE; admin.token in --data)')
    .option('--data <directory>', 'data directory of a server on this machine (TESSERA_DATA_DIR; ./data)')
    .option('--json', 'print JSON')
    .version(version)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('--help shows what there is')
  serverCommands(program)
  namespaceCommands(program)
  recordCommands(program)
  backupCommands(program)
  accessCommands(program)
  jobCommands(program)
  revisionCommands(program)
  const completion = program
    .command('completion')
    .summary('print the completion for a shell')
    .argument('<shell>', shells.join(', '))
  completion.action(async () => {
    const shell = shells.find((known): known is Shell => known === completion.args[0])
    if (shell === undefined) throw inputFailure(`the shell must be one of ${shells.join(', ')}`)
    await write(scriptFor(shell, program))
  })
  program
    .command('manual')
    .summary('print the manual page, for man')
    .action(() => write(manualOf(program, version)))
  for (const command of everyCommand(program)) command.exitOverride().copyInheritedSettings(program)
  return program
}

/** A command and all below it. */
export function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap((inner) => everyCommand(inner))]
}
