// The manual page, made from the tree of commands.
import type { Command } from 'commander'

const STATUSES: readonly [number, string][] = [
  [0, 'done'],
  [1, 'the work failed, the answer was cut off, or the server is not healthy'],
  [2, 'wrong arguments or input'],
  [3, 'the server cannot be reached'],
  [4, 'credentials are missing or wrong, or the role is not enough'],
  [5, 'there is no such thing'],
  [6, 'it exists already, or has changed'],
  [7, 'the server is busy or closing: try again later'],
]

export function manualOf(program: Command, version: string): string {
  const lines = [
    `.TH TESSERA 1 "" "Tessera ${escaped(version)}" "User Commands"`,
    '.SH NAME',
    `tessera \\- ${escaped(program.summary())}`,
    '.SH SYNOPSIS',
    '.B tessera',
    '[options] command [arguments]',
    '.SH DESCRIPTION',
    escaped(program.description()),
    '.SH OPTIONS',
    ...optionsOf(program),
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => commandOf(command, '')),
    '.SH EXIT STATUS',
    ...STATUSES.flatMap(([status, meaning]) => ['.TP', `.B ${status}`, escaped(meaning)]),
    '.SH ENVIRONMENT',
    ...['TESSERA_URL', 'TESSERA_TOKEN', 'TESSERA_TOKEN_FILE', 'TESSERA_DATA_DIR'].flatMap((name) => [
      '.TP',
      `.B ${name}`,
      'as the option of that name',
    ]),
  ]
  return `${lines.join('\n')}\n`
}

function commandOf(command: Command, before: string): string[] {
  const name = `${before}${command.name()}`
  const below = command.commands.flatMap((inner) => commandOf(inner, `${name} `))
  if (below.length > 0) return below
  const values = command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`))
  return [`.SS ${escaped([name, ...values].join(' '))}`, escaped(command.summary()), ...optionsOf(command)]
}

const optionsOf = (command: Command): string[] =>
  command.options.flatMap(({ flags, description }) => ['.TP', `.B ${escaped(flags)}`, escaped(description)])

/** No character begins a request of roff. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^([.'])/gm, '\\&$1')
