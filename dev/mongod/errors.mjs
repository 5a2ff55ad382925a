// @ts-check
/** The reply to a failed command, with MongoDB's number and name of the error. */
export class CommandError extends Error {
  /** @param {number} code @param {string} codeName @param {string} message */
  constructor(code, codeName, message) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}
