/** A name that somebody has chosen: text only, kept from turning around or covering what is beside it. */
export function Name({ children }: { children: string }) {
  return (
    <bdi className="gr-name" title={children.length > 60 ? children : undefined}>
      {children}
    </bdi>
  );
}
