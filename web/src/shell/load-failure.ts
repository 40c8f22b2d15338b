import { t } from '../language/text'
import { element } from './elements'

/** Says in the frame of the page, in place of what it waits for, that a script of the console did not come. */
export function showLoadFailure(frame: ParentNode): void {
  const again = element('button', 'btn small', t('Reload'))
  again.type = 'button'
  again.addEventListener('click', () => location.reload())
  const problem = element(
    'div',
    'problem',
    element('strong', '', t('The console could not be loaded')),
    element('span', '', t('The server may have stopped, or it has another version now.')),
    element('div', '', again),
  )
  problem.role = 'alert'
  // What opens the palette would wait for it for ever.
  frame.querySelector('.global')?.remove()
  frame.querySelector('[role=status]')?.replaceWith(problem)
}
