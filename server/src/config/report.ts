// The settings for a person at the terminal: all that there are, and what holds now.
import { readFlags } from './sources.js'
import { type EffectiveSetting, settingsHelp } from '../config.js'

export const wantsHelp = (args: readonly string[]): boolean => readFlags(args)['help'] === true

export const wantsPrint = (args: readonly string[]): boolean => readFlags(args)['print-config'] === true

export function helpText(): string {
  const own: [string, string][] = [
    ['--config, TESSERA_CONFIG', 'file with settings: JSON with comments; its keys are shown by --print-config'],
    ['--print-config', 'show each setting, its value and where that comes from, and do not start'],
    ['--help', 'show this text'],
  ]
  const rows = settingsHelp().map(({ names, help, fallback }): [string, string] => [names, `${help} (${fallback})`])
  return [
    'Tessera: a record store that you can watch',
    '',
    ...[...rows, ...own].map(([names, help]) => `  ${names.padEnd(28)} ${help}`),
    '',
  ].join('\n')
}

/** Characters that would change the terminal, or the order of what it shows, as their numbers. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ''}}`)

/** A table of the settings. */
export function configText(effective: readonly EffectiveSetting[]): string {
  const head = ['SETTING', 'VALUE', 'FROM', 'DEFAULT', 'RELOAD']
  const rows = effective.map(({ key, value, from, fallback, live }) => [
    key,
    value === '' ? '-' : value,
    from,
    fallback === '' ? '-' : fallback,
    live ? 'SIGHUP' : 'restart',
  ])
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => visible(row[at] ?? '').length)))
  return [head, ...rows]
    .map((row) =>
      row
        .map(visible)
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
