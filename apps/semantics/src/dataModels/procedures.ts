import type { semantics as contract } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { requireAuthor } from '../authorization/logic/roles.js';
import type { Dependencies } from '../dependencies.js';
import { createWriter } from '../records/writer.js';
import {
  createDataModel,
  deleteDataModel,
  getDataModel,
  listDataModels,
  toDataModel,
  updateDataModel,
} from './manageDataModels.js';

export function createDataModelProcedures(
  dependencies: Dependencies,
): Handlers<typeof contract.procedures>['datamodels'] {
  return {
    list: (input, context) => listDataModels(dependencies, input, context),
    async create(input, context) {
      const writer = createWriter(requireAuthor(context.principal), context);
      return { datamodel: toDataModel(await createDataModel(dependencies, writer, input)) };
    },
    get: (input, context) => getDataModel(dependencies, input, context),
    update: (input, context) => updateDataModel(dependencies, input, context),
    async delete({ id }, context) {
      const writer = createWriter(requireAuthor(context.principal), context);
      const { name } = await deleteDataModel(dependencies, writer, id);
      return { message: 'The data model was deleted', deletedDatamodel: { id, name } };
    },
  };
}
