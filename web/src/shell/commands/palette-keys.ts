/** Whether a key is for a field, a dialog or a menu. */
export const isForControl = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element &&
  target.closest('input, textarea, select, [role=dialog], [role=menu], [contenteditable]') !== null

/** Whether a key opens the command palette: Ctrl/Cmd-K anywhere, "/" where nothing is typed. */
export function opensPalette(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === 'k'
  return event.key === '/' && !event.altKey && !isForControl(event)
}
