// Elements of the page, made without React.

type Attributes = Readonly<Record<string, string | number | boolean>>

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className: string,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  if (className !== '') made.className = className
  made.append(...children)
  return made
}

export function svg(attributes: Attributes, ...children: readonly SVGElement[]): SVGElement {
  const made = svgPart('svg', attributes)
  made.append(...children)
  return made
}

export function svgPart(tag: string, attributes: Attributes): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value))
  return made
}
