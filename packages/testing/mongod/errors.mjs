// @ts-check
/** What a command is answered that fails, as MongoDB numbers and names it. */
export class CommandError extends Error {
  /** @param {number} code @param {string} codeName @param {string} message */
  constructor(code, codeName, message) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}
