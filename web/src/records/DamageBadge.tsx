/** Stands for a record that cannot be read; why, and which one it is, is in its title. */
export function DamageBadge({ message, digest }: { message: string; digest: string }) {
  return (
    <span className="badge bad" title={`${message} (${digest})`}>
      damaged
    </span>
  )
}
