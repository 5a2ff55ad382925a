/**
 * Loaded before a program (`node --import`), it simulates a later release: each event, each stored document
 * and each response of a procedure has a field that the present release does not know.
 */
import { Collection } from 'mongodb';

const ADDED = { addedLater: { by: 'a later release' } };

const isObject = (/** @type {unknown} */ value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {any} value to be sent */
function extend(value) {
  if (!isObject(value)) return value;
  if (value.specversion === '1.0') return { ...value, addedlater: 'x', data: { ...value.data, ...ADDED } };
  if (value.result?.type === 'data' && isObject(value.result.data))
    return { ...value, result: { ...value.result, data: { ...value.result.data, ...ADDED } } };
  return value;
}

const { stringify } = JSON;
JSON.stringify = (/** @type {any} */ value, /** @type {any} */ replacer, /** @type {any} */ space) =>
  stringify(extend(value), replacer, space);

const { insertOne, updateOne, findOneAndUpdate } = /** @type {any} */ (Collection.prototype);

/** @param {any} update */
const withField = (update) => (update?.$set ? { ...update, $set: { ...update.$set, ...ADDED } } : update);

Collection.prototype.insertOne = function (document, options) {
  return insertOne.call(this, { ...document, ...ADDED }, options);
};
Collection.prototype.updateOne = function (filter, update, options) {
  return updateOne.call(this, filter, withField(update), options);
};
/** @type {any} */ (Collection.prototype).findOneAndUpdate = function (
  /** @type {any} */ filter,
  /** @type {any} */ update,
  /** @type {any} */ options,
) {
  return findOneAndUpdate.call(this, filter, withField(update), options);
};
