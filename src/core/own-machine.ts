/** Returns whether a host name is that of the reader's own machine, as in local play. */
export function isOwnMachine(hostname: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
