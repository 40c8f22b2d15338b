// Completion for shells, made from the tree of commands. It needs no server and no Node when a key is pressed.
import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

export function scriptFor(shell: Shell, program: Command): string {
  return { bash, zsh, fish }[shell](levelsOf(program))
}

/** What may follow the words of `path`. */
interface Level {
  /** `tessera user`, as it is typed. */
  path: string
  commands: Word[]
  options: Word[]
}

interface Word {
  name: string
  help: string
}

function levelsOf(program: Command): Level[] {
  const general = optionsOf(program)
  const below = (command: Command, path: string): Level[] => {
    const commands = command.commands.map((inner) => ({ name: inner.name(), help: inner.summary() }))
    const options = command === program ? general : [...optionsOf(command), ...general]
    return [
      { path, commands, options },
      ...command.commands.flatMap((inner) => below(inner, `${path} ${inner.name()}`)),
    ]
  }
  return below(program, program.name())
}

const optionsOf = (command: Command): Word[] =>
  command.options.flatMap(({ long, description }) => (long == null ? [] : [{ name: long, help: description }]))

const names = (words: readonly Word[]): string => words.map(({ name }) => name).join(' ')

/** The words so far without options: those of a deeper level only if they lead there. */
const walk = (levels: readonly Level[], words: string): string => `  local path=tessera word
  for word in ${words}; do
    case "$path $word" in
      ${levels
        .slice(1)
        .map(({ path }) => `"${path}"`)
        .join(' | ')}) path="$path $word" ;;
    esac
  done`

const bash = (
  levels: readonly Level[],
): string => `# bash completion of tessera: source it, or put it into bash_completion.d
_tessera() {
  local current="\${COMP_WORDS[COMP_CWORD]}" choices=
${walk(levels, '"${COMP_WORDS[@]:1:COMP_CWORD-1}"')}
  case "$path" in
${levels.map(({ path, commands, options }) => `    "${path}") [[ "$current" == -* ]] && choices="${names(options)}" || choices="${names(commands)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _tessera tessera
`

const zsh = (levels: readonly Level[]): string => `#compdef tessera
_tessera() {
  local -a commands options
${walk(levels, '"${(@)words[2,CURRENT-1]}"')}
  case "$path" in
${levels.map(({ path, commands, options }) => `    "${path}")\n      commands=(${described(commands)})\n      options=(${described(options)}) ;;`).join('\n')}
  esac
  if [[ "$words[CURRENT]" == -* ]]; then
    _describe option options
  elif (( $#commands > 0 )); then
    _describe command commands
  else
    _files
  fi
}
if [ "$funcstack[1]" = _tessera ]; then _tessera "$@"; else compdef _tessera tessera; fi
`

const described = (words: readonly Word[]): string =>
  words.map(({ name, help }) => quoted(`${name}:${help.replaceAll(':', ' -')}`)).join(' ')

function fish(levels: readonly Level[]): string {
  const lines = levels.flatMap(({ path, commands, options }) => [
    ...commands.map(
      (word) => `complete -c tessera -n '__tessera_at "${path}"' -f -a ${word.name} -d ${quoted(word.help)}`,
    ),
    ...options.map(
      ({ name, help }) => `complete -c tessera -n '__tessera_at "${path}"' -l ${name.slice(2)} -d ${quoted(help)}`,
    ),
  ])
  return `# fish completion of tessera: put it into ~/.config/fish/completions/tessera.fish
function __tessera_at
  set -l path tessera
  for word in (commandline -opc)[2..-1]
    if contains -- "$path $word" ${levels
      .slice(1)
      .map(({ path }) => `"${path}"`)
      .join(' ')}
      set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join('\n')}
`
}

/** For a shell: in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`
