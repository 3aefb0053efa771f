const RealDate = Date

/** Moves the clock of this process. @param aheadMs how far it is ahead of the real one, in milliseconds */
export function driveDate(aheadMs: () => number): void {
  globalThis.Date = class extends RealDate {
    constructor(...given: []) {
      super(...(given.length === 0 ? ([RealDate.now() + aheadMs()] as unknown as []) : given))
    }

    static override now(): number {
      return RealDate.now() + aheadMs()
    }
  } as DateConstructor
}
