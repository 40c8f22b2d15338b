// What a visitor sees until React draws the same with more in it: the navigation, and the name of the page.
import { here, withoutBase } from '../base-path'
import { t } from '../language/text'
import { paths } from '../ui/icon-paths'
import { MODIFIER } from './commands/modifier'
import { awaitField } from './commands/typed-ahead'
import { element, svg, svgPart } from './elements'
import { squares } from './nav/brand'
import { navItems, navLabel } from './nav/nav-items'

const LINES = 6
/** As high as the form. */
const FIELDS = 4

/** The frame of the page at an address, of the classes that the components have. */
export function frameOf({ pathname, search }: { pathname: string; search: string }): HTMLElement {
  const path = withoutBase(pathname)
  if (path === '/login') return signIn()
  if (new URLSearchParams(search).get('kiosk') === 'true') return element('div', 'shell kiosk', page(path, room()))
  return element('div', 'shell', nav(path), page(path, element('div', 'global', palette(), room())))
}

function nav(path: string): HTMLElement {
  const brand = link('/', mark(), t('Tessera'))
  brand.className = 'brand'
  const groups = navItems.map(({ group, items }) => {
    const links = items.map(({ to, label }) => {
      const one = link(to, label)
      if (isIn(to, path)) one.setAttribute('aria-current', 'page')
      return element('li', '', one)
    })
    return element('div', '', ...(group === undefined ? [] : [element('h2', '', group)]), element('ul', '', ...links))
  })
  const made = element('nav', 'nav', brand, ...groups)
  made.setAttribute('aria-label', t('Pages'))
  return made
}

const isIn = (to: string, path: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`))

/** A page with what its bar has at its end. */
function page(path: string, end: HTMLElement): HTMLElement {
  const label = navLabel(path)
  const title = label === undefined ? element('div', 'skeleton title') : element('h1', '', label)
  const bar = element('header', 'pagebar', room('menu-button'), title, end)
  const content = element('main', 'content', element('section', 'card', bones('stack-small', LINES)))
  content.id = 'content'
  return element('div', 'main', bar, content)
}

/** As large as a button that comes later: of the navigation on narrow screens, of the theme. */
const room = (className = ''): HTMLElement =>
  element('span', `btn quiet ${className}`.trim(), svg({ width: 15, height: 15 }))

/** Opens the command palette when the console runs. */
function palette(): HTMLElement {
  const keys = element('kbd', 'wide-only', `${MODIFIER} K`)
  keys.ariaHidden = 'true'
  const made = element('button', 'btn quiet', icon(), element('span', 'visually-hidden', t('Search commands')), keys)
  made.type = 'button'
  made.addEventListener('click', awaitField)
  return made
}

const icon = (): SVGElement =>
  svg(
    {
      viewBox: '0 0 16 16',
      width: 15,
      height: 15,
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 1.5,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
      'aria-hidden': true,
    },
    svgPart('path', { d: paths.search }),
  )

function signIn(): HTMLElement {
  const form = element('div', 'stack', element('h1', '', t('Sign in to Tessera')), bones('stack', FIELDS))
  return element('main', 'login', element('section', 'card', form))
}

function bones(className: string, length: number): HTMLElement {
  const made = element('div', className, ...Array.from({ length }, () => element('div', 'skeleton line')))
  made.role = 'status'
  made.ariaBusy = 'true'
  made.ariaLabel = t('Loading')
  return made
}

function link(to: string, ...children: readonly (Node | string)[]): HTMLAnchorElement {
  const made = document.createElement('a')
  made.href = here(to)
  made.append(...children)
  return made
}

function mark(): SVGElement {
  const rects = squares.map((square) => svgPart('rect', { width: 6, height: 6, rx: 1, ...square }))
  return svg({ viewBox: '0 0 16 16', 'aria-hidden': true, fill: 'var(--fill-accent)' }, ...rects)
}
