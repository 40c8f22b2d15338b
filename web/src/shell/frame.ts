// What a visitor sees until React draws the same with more in it: the navigation, and the name of the page.
import { here, withoutBase } from '../base-path'
import { t } from '../language/text'
import { squares } from './nav/brand'
import { navItems, navLabel } from './nav/nav-items'

const LINES = 6
/** As high as the form. */
const FIELDS = 4

type Attributes = Readonly<Record<string, string | number | boolean>>

/** The frame of the page at an address, of the classes that the components have. */
export function frameOf({ pathname, search }: { pathname: string; search: string }): HTMLElement {
  const path = withoutBase(pathname)
  if (path === '/login') return signIn()
  if (new URLSearchParams(search).get('kiosk') === 'true') return element('div', 'shell kiosk', page(path))
  return element('div', 'shell', nav(path), page(path))
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

function page(path: string): HTMLElement {
  const label = navLabel(path)
  const title = label === undefined ? element('div', 'skeleton title') : element('h1', '', label)
  // As wide as the button that opens the navigation on narrow screens.
  const button = element('span', 'btn quiet menu-button', svg({ width: 15, height: 15 }))
  const bar = element('header', 'pagebar', button, title)
  const content = element('main', 'content', element('section', 'card', bones('stack-small', LINES)))
  content.id = 'content'
  return element('div', 'main', bar, content)
}

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

function svg(attributes: Attributes, ...children: readonly SVGElement[]): SVGElement {
  const made = svgPart('svg', attributes)
  made.append(...children)
  return made
}

function svgPart(tag: string, attributes: Attributes): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}

function element(tag: string, className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.append(...children)
  return made
}
