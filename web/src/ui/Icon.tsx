import type { SVGAttributes } from 'react'
import { paths, type IconName } from './icon-paths'

interface Props extends SVGAttributes<SVGSVGElement> {
  name: IconName
}

export function Icon({ name, ...rest }: Props) {
  return (
    <svg
      {...rest}
      viewBox="0 0 16 16"
      width="15"
      height="15"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
