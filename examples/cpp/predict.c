/* Load a model and predict from C. The model is the one that from_file.cpp saves. */
#include <mulberry/mulberry.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(void) {
  fprintf(stderr, "%s\n", mulberry_last_error());
  return 1;
}

int main(int argc, char** argv) {
  mulberry_model* model = NULL;
  if (mulberry_model_load(argc > 1 ? argv[1] : "photos.mb", &model) != MULBERRY_OK) return fail();

  const int64_t labels = mulberry_model_label_count(model);
  const int64_t features = mulberry_model_feature_count(model);
  printf("%lld features, %lld labels, the first is %s\n", (long long)features, (long long)labels,
         mulberry_model_label_name(model, 0));

  /* Two rows of zeros: dense, then as compressed rows without any entry. */
  double* rows = calloc((size_t)(2 * features), sizeof *rows);
  double* scores = calloc((size_t)(4 * labels), sizeof *scores);
  int8_t* decided = calloc((size_t)(2 * labels), sizeof *decided);
  const int64_t start[] = {0, 0, 0};
  const int failed = rows == NULL || scores == NULL || decided == NULL ||
                     mulberry_predict_dense(model, MULBERRY_SCORES, rows, 2, features, 1, scores) ||
                     mulberry_predict_csr(model, MULBERRY_SCORES, 2, features, start, NULL, NULL, 1,
                                          scores + 2 * labels) ||
                     mulberry_decide_dense(model, rows, 2, features, 1, decided);
  if (!failed) {
    int64_t different = 0, assigned = 0;
    for (int64_t k = 0; k < 2 * labels; ++k) {
      const double gap = scores[k] - scores[2 * labels + k];
      if (gap > 1e-9 || gap < -1e-9) ++different;
      assigned += decided[k];
    }
    printf("%lld scores differ between dense and sparse rows\n", (long long)different);
    printf("both rows have the same labels: %s\n", assigned % 2 == 0 ? "yes" : "no");
  }

  /* A mistake is a status and a text. */
  if (mulberry_predict_dense(model, MULBERRY_SCORES, rows, 1, 3, 1, scores) ==
      MULBERRY_ERROR_DATA) {
    printf("%s\n", mulberry_last_error());
  }
  free(rows);
  free(scores);
  free(decided);
  mulberry_model_free(model);
  return failed ? fail() : 0;
}
