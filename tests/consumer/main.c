/* A user's program in C99: loads the model file of main.cpp, predicts, and makes mistakes. */
#include <mulberry/mulberry.h>
#include <stdio.h>
#include <string.h>

#define ROWS 3
#define FEATURES 12
#define LABELS 11

static int failures = 0;

static void check(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

int main(int argc, char** argv) {
  double rows[ROWS * FEATURES], one[ROWS * LABELS], two[ROWS * LABELS], sparse[ROWS * LABELS];
  int64_t start[ROWS + 1] = {0};
  int32_t index[ROWS * FEATURES];
  int8_t decided[ROWS * LABELS], decided_sparse[ROWS * LABELS];
  mulberry_model* model = NULL;
  int k;

  if (argc != 2) return 2;
  check(strcmp(mulberry_version(), MULBERRY_VERSION_STRING) == 0, "version");
  check(strcmp(mulberry_last_error(), "") == 0, "no error yet");
  check(mulberry_model_load("/no/such/model.mb", &model) == MULBERRY_ERROR_IO, "absent file");
  check(model == NULL && strstr(mulberry_last_error(), "/no/such/model.mb") != NULL, "its error");
  model = (mulberry_model*)&start;
  check(mulberry_model_load(NULL, &model) == MULBERRY_ERROR_USAGE, "null path");
  check(model == NULL, "no model without a path");
  check(mulberry_model_load(argv[0], &model) == MULBERRY_ERROR_MODEL_FILE, "not a model");
  if (mulberry_model_load(argv[1], &model) != MULBERRY_OK) {
    fprintf(stderr, "%s\n", mulberry_last_error());
    return 1;
  }
  check(mulberry_model_label_count(model) == LABELS, "labels");
  check(mulberry_model_feature_count(model) == FEATURES, "features");
  check(mulberry_model_label_name(model, 0) != NULL, "first label");
  check(mulberry_model_label_name(model, LABELS) == NULL, "label out of range");
  check(mulberry_model_feature_name(model, -1) == NULL, "feature out of range");
  check(strncmp(mulberry_model_learner(model), "br(", 3) == 0, "learner");

  for (k = 0; k < ROWS * FEATURES; ++k) {
    rows[k] = 0.1 * (k % 7) - 0.2;
    index[k] = k % FEATURES;
  }
  for (k = 0; k <= ROWS; ++k) start[k] = (int64_t)k * FEATURES;
  check(mulberry_predict_dense(model, MULBERRY_SCORES, rows, ROWS, FEATURES, 1, one) == MULBERRY_OK,
        "dense scores");
  check(mulberry_predict_dense(model, MULBERRY_PROBABILITIES, rows, ROWS, FEATURES, 2, two) ==
            MULBERRY_OK,
        "dense probabilities");
  check(memcmp(one, two, sizeof one) == 0, "the same bits with two threads");
  check(mulberry_predict_csr(model, MULBERRY_SCORES, ROWS, FEATURES, start, index, rows, 1,
                             sparse) == MULBERRY_OK,
        "sparse scores");
  check(mulberry_decide_dense(model, rows, ROWS, FEATURES, 1, decided) == MULBERRY_OK, "decide");
  check(mulberry_decide_csr(model, ROWS, FEATURES, start, index, rows, 1, decided_sparse) ==
            MULBERRY_OK,
        "decide sparse");
  for (k = 0; k < ROWS * LABELS; ++k) {
    check(one[k] - sparse[k] < 1e-9 && sparse[k] - one[k] < 1e-9, "dense and sparse scores");
    check(decided[k] == (one[k] >= 0.5) && decided[k] == decided_sparse[k], "decisions");
  }

  check(mulberry_predict_dense(model, MULBERRY_SCORES, rows, 1, 3, 1, one) == MULBERRY_ERROR_DATA,
        "too few columns");
  check(mulberry_predict_dense(model, MULBERRY_SCORES, rows, 1, FEATURES, 0, one) ==
            MULBERRY_ERROR_PARAMETER,
        "no threads");
  check(mulberry_predict_dense(NULL, MULBERRY_SCORES, rows, 1, FEATURES, 1, one) ==
            MULBERRY_ERROR_USAGE,
        "no model");
  check(mulberry_predict_dense(model, MULBERRY_SCORES, rows, 1, FEATURES, 1, NULL) ==
            MULBERRY_ERROR_USAGE,
        "no memory for the result");
  check(memcmp(one, two, sizeof one) == 0, "a failure changes no result");
  index[1] = 0;
  check(mulberry_predict_csr(model, MULBERRY_SCORES, ROWS, FEATURES, start, index, rows, 1,
                             sparse) == MULBERRY_ERROR_DATA,
        "columns in disorder");
  mulberry_model_free(model);
  mulberry_model_free(NULL);
  if (failures == 0) printf("all calls as expected\n");
  return failures == 0 ? 0 : 1;
}
