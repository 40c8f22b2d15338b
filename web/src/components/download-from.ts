import { here } from '../base-path'

/** Has the browser download what the gateway streams, so its size does not matter. */
export function downloadFrom(path: string): void {
  const link = document.createElement('a')
  link.href = here(path)
  link.download = ''
  link.click()
}
